package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

class MariaDbReadCommittedGuardIT extends MariaDbGuardIT {
    @Override
    void configure(HikariConfig config) {
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
}
