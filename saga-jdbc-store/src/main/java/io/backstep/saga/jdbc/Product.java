package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.util.Locale;

/** The databases that are supported. */
enum Product {
    POSTGRESQL,
    H2;

    static Product named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "h2" -> H2;
            default ->
                throw new SagaConfigurationException(
                        "SAGA-CFG-002", "the database is " + Shown.quoted(name) + "; supported are PostgreSQL and H2");
        };
    }

    String folder() {
        return name().toLowerCase(Locale.ROOT);
    }
}
