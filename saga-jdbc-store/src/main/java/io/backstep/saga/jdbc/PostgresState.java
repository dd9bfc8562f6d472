package io.backstep.saga.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL's driver knows of a transaction, without asking the server. Other drivers know nothing. */
final class PostgresState {
    /** The driver's own interface, which this module is compiled without. */
    private static final String DRIVER = "org.postgresql.core.BaseConnection";

    private static final @Nullable Method STATE = state();

    private PostgresState() {}

    private static @Nullable Method state() {
        try {
            return Class.forName(DRIVER).getMethod("getTransactionState");
        } catch (ReflectiveOperationException | LinkageError e) {
            return null; // another driver, or none
        }
    }

    /** False also when that cannot be told. */
    static boolean isFailed(Connection connection) {
        try {
            return STATE != null
                    && connection.isWrapperFor(STATE.getDeclaringClass())
                    && String.valueOf(STATE.invoke(connection.unwrap(STATE.getDeclaringClass())))
                            .equals("FAILED");
        } catch (SQLException | ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
