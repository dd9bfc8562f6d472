package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;

/** The contract without the extended protocol of PostgreSQL, as some poolers want it: F14. */
class SimpleQueryModeIT extends PostgresSagaStoreIT {
    @Override
    void configure(HikariConfig config) {
        super.configure(config);
        config.addDataSourceProperty("preferQueryMode", "simple");
        config.addDataSourceProperty("prepareThreshold", "0");
    }
}
