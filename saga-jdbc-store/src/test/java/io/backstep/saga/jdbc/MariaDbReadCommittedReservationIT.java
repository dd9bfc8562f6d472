package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

class MariaDbReadCommittedReservationIT extends MariaDbReservationIT {
    @Override
    void configure(HikariConfig config) {
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
}
