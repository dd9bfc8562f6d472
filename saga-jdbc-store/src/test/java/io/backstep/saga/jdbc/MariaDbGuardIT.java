package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

/** At the server's own isolation, REPEATABLE READ, in sessions that cut silently what is too long. */
class MariaDbGuardIT extends JdbcGuardContract {
    MariaDbGuardIT() {
        super(ParticipantDatabase.MARIADB);
    }

    @Override
    void configure(HikariConfig config) {
        config.setConnectionInitSql("set sql_mode = ''"); // F050
    }
}
