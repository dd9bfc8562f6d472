package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

/** Where a row that another transaction has written meanwhile is a serialization failure. */
class PostgresRepeatableReadGuardIT extends PostgresGuardIT {
    @Override
    void configure(HikariConfig config) {
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    }

    @Override
    protected boolean yieldsWhenJoined() {
        return true;
    }
}
