package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

/** In sessions that cut silently what is too long. */
class MariaDbIdempotencyIT extends JdbcIdempotencyContract {
    MariaDbIdempotencyIT() {
        super(ParticipantDatabase.MARIADB);
    }

    @Override
    void configure(HikariConfig config) {
        config.setConnectionInitSql("set sql_mode = ''"); // F050
    }
}
