package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import java.util.UUID;

/** On a pool whose connections come with autocommit off (F058). */
class H2JoinedStartIT extends JoinedStartContract {
    @Override
    void configure(HikariConfig config) {
        config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        config.setUsername("sa");
        config.setPassword("");
        config.setAutoCommit(false);
    }
}
