package io.backstep.saga.jdbc;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds serialization failures and deadlocks among the causes of a failure. */
final class TransientFailures {
    private static final Set<String> STATES = Set.of("40001", "40P01");
    private static final int H2_LOCK_TIMEOUT = 50200;

    private TransientFailures() {}

    static boolean contains(Throwable failure) {
        return contains(failure, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean contains(@Nullable Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        if (failure instanceof SQLException sql
                && (STATES.contains(String.valueOf(sql.getSQLState())) || sql.getErrorCode() == H2_LOCK_TIMEOUT)) {
            return true;
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (contains(suppressed, seen)) {
                return true;
            }
        }
        return contains(failure.getCause(), seen);
    }
}
