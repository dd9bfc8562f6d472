package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.testsupport.TestPostgres;

class PostgresJoinedStartIT extends JoinedStartContract {
    @Override
    void configure(HikariConfig config) {
        TestPostgres.Db database = TestPostgres.fresh();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }
}
