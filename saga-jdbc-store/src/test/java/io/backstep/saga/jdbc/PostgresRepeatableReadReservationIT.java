package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

/** Where stock that another transaction has changed meanwhile is a serialization failure. */
class PostgresRepeatableReadReservationIT extends PostgresReservationIT {
    @Override
    void configure(HikariConfig config) {
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    }
}
