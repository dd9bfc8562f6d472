package io.backstep.saga.jdbc;

import io.backstep.saga.SagaException;
import io.backstep.saga.Shown;
import io.backstep.saga.Thrown;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the failures of the drivers mean. */
final class Failures {
    /** An operator's write met a row that somebody else keeps locked. */
    static final String LOCKED = "SAGA-DB-012";

    static final String SERIALIZATION = "40001";
    private static final String DEADLOCK = "40P01";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String FAILED_BEFORE = "25P02";
    private static final String COMPLETION_UNKNOWN = "40003";
    /** Classes of errors of a statement: unsupported, data, constraints, state of the transaction, rollback, names and rights, limits, locks, PL/pgSQL. */
    private static final Set<String> REFUSED = Set.of("0A", "22", "23", "25", "2D", "40", "42", "54", "55", "P0");

    private static final String STOPPED = "57014";
    private static final String NO_CONNECTION = "08003";
    private static final String FORBIDDEN = "42501";
    private static final int MARIADB_FORBIDDEN = 1142;
    private static final int H2_FORBIDDEN = 90096;

    /** PostgreSQL ends sessions by itself, also idle ones; H2 has numbers of its own. */
    private static final Set<String> SESSION_ENDED =
            Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "90067", "90098", "90121");

    /** PostgreSQL's, MariaDB's and H2's; H2 has two more for a table that is not there, but others are. */
    private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

    private static final int MARIADB_KILLED = 1927;
    private static final int H2_LOCK_TIMEOUT = 50200;
    private static final int MARIADB_LOCK_TIMEOUT = 1205;
    private static final int MARIADB_DUPLICATE = 1062;
    private static final int H2_DUPLICATE = 23505;
    private static final int MARIADB_CHANGED_SINCE_READ = 1020;
    private static final int MYSQL_NOWAIT = 3572;
    private static final Set<Integer> LOCK_TIMEOUTS = Set.of(H2_LOCK_TIMEOUT, MARIADB_LOCK_TIMEOUT, MYSQL_NOWAIT);

    private Failures() {}

    /**
     * A serialization failure or a deadlock, anywhere in its causes: the same may succeed in a fresh transaction. A lock that an operator
     * was told of is none: whoever holds it is not done in a moment.
     */
    static boolean isTransient(Throwable failure) {
        return any(failure, sql -> isSerialization(sql) || isDeadlock(sql));
    }

    /** The connection broke, anywhere in its causes; not that somebody used one that was closed before. */
    static boolean isConnectionLost(Throwable failure) {
        return any(failure, Failures::saysConnectionLost);
    }

    private static boolean saysConnectionLost(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return (state.startsWith("08") && !NO_CONNECTION.equals(state))
                || SESSION_ENDED.contains(state)
                || failure.getErrorCode() == MARIADB_KILLED;
    }

    /** Of an application's failure, too: its causes may go as deep as they like, in circles, or throw when they are asked for. */
    private static boolean any(Throwable failure, Predicate<SQLException> wanted) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> next = new ArrayDeque<>(List.of(failure));
        while (!next.isEmpty()) {
            Throwable one = next.pop();
            if (one instanceof SQLException sql && wanted.test(sql)) {
                return true;
            }
            if (seen.add(one) && !isTold(one)) {
                next.addAll(List.of(one.getSuppressed()));
                Throwable cause = Thrown.cause(one);
                if (cause != null) {
                    next.add(cause);
                }
            }
        }
        return false;
    }

    private static boolean isTold(Throwable failure) {
        return failure instanceof SagaStoreException told && told.code().equals(LOCKED);
    }

    static boolean isSerialization(SQLException failure) {
        return SERIALIZATION.equals(failure.getSQLState()) || failure.getErrorCode() == MARIADB_CHANGED_SINCE_READ;
    }

    /** A deadlock, or a serialization failure: H2 and MariaDB have rolled the whole transaction back then, savepoints included. */
    static boolean isRolledBack(SQLException failure) {
        return SERIALIZATION.equals(failure.getSQLState());
    }

    private static boolean isDeadlock(SQLException failure) {
        return DEADLOCK.equals(failure.getSQLState()) || LOCK_TIMEOUTS.contains(failure.getErrorCode());
    }

    /** A unique key is taken, on MariaDB or H2. */
    static boolean isDuplicate(SQLException failure) {
        return failure.getErrorCode() == MARIADB_DUPLICATE || failure.getErrorCode() == H2_DUPLICATE;
    }

    /** A lock that somebody else holds, or a deadlock (H2 and MariaDB say 40001 for it). */
    static boolean isLock(SQLException failure) {
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState()) || isDeadlock(failure) || isSerialization(failure);
    }

    /** Somebody else has held a lock for too long. */
    static boolean isLockedByAnother(SQLException failure) {
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState()) || LOCK_TIMEOUTS.contains(failure.getErrorCode());
    }

    /**
     * The same for a row that somebody else has inserted, where the database finds out by itself when two wait for each other. H2 does
     * not: there it may be just that, and is worth a rerun.
     */
    static boolean isInsertedByAnother(SQLException failure) {
        return isLockedByAnother(failure) && failure.getErrorCode() != H2_LOCK_TIMEOUT;
    }

    /** Data exceptions, violated constraints and limits are of one row; they say nothing of the others. */
    static boolean isData(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    /** Some table is not there, anywhere in its causes. */
    static boolean isMissingTable(Throwable failure) {
        return any(failure, sql -> NO_TABLE.contains(String.valueOf(sql.getSQLState())));
    }

    /** This user may not do it; said by PostgreSQL, MariaDB or H2. */
    static boolean isForbidden(SQLException failure) {
        return FORBIDDEN.equals(failure.getSQLState())
                || failure.getErrorCode() == MARIADB_FORBIDDEN
                || failure.getErrorCode() == H2_FORBIDDEN;
    }

    /** The database knows no such user, or not with this password, anywhere in its causes. */
    static boolean isLoginRefused(Throwable failure) {
        return any(failure, sql -> String.valueOf(sql.getSQLState()).startsWith("28"));
    }

    /** Before the commit was sent: certainly not applied. */
    static SagaStoreException beforeCommit(SQLException cause) {
        return new SagaStoreException("SAGA-DB-003", "the database refused: " + cause.getMessage(), Effect.NONE, cause);
    }

    /** A participant's statement, before the commit. */
    static SagaException ofOperation(String operationId, SQLException cause) {
        boolean locked = isLockedByAnother(cause);
        return locked || isTransient(cause)
                ? new OperationBusyException("operation " + Shown.quoted(operationId), !locked, cause)
                : beforeCommit(cause);
    }

    /** Somebody keeps the row of a saga. */
    static SagaStoreException locked(UUID sagaId, SQLException cause) {
        return new SagaStoreException(
                LOCKED,
                "another transaction has saga " + sagaId + " locked; nothing was done; try again",
                Effect.NONE,
                cause);
    }

    /** Somebody has inserted the same, and is not done. */
    static SagaStoreException beingInserted(UUID sagaId, SQLException cause) {
        return new SagaStoreException(
                LOCKED,
                "another transaction has written the same for saga " + sagaId
                        + " and is not over; nothing was done; try again",
                Effect.NONE,
                cause);
    }

    /** A query was stopped, by its limit or by somebody. */
    static boolean isStopped(SQLException failure) {
        return STOPPED.equals(failure.getSQLState()) || failure instanceof SQLTimeoutException;
    }

    /** What no database is even asked to store. */
    static void refuse(@Nullable IllegalArgumentException fault) {
        if (fault != null) {
            throw new SagaStoreException("SAGA-DB-003", String.valueOf(fault.getMessage()), Effect.NONE, fault);
        }
    }

    /** On commit nobody knows, unless the database itself says that it has rolled back. */
    static SagaStoreException onCommit(Exception cause) {
        boolean rolledBack = cause instanceof SQLException sql && saysRolledBack(String.valueOf(sql.getSQLState()));
        return new SagaStoreException(
                "SAGA-DB-005",
                "the commit failed: " + cause.getMessage(),
                rolledBack ? Effect.NONE : Effect.UNKNOWN,
                cause);
    }

    /** What was written before may be committed already. */
    static SagaStoreException inDoubt(SQLException cause) {
        return new SagaStoreException(
                "SAGA-DB-005",
                "it may be written, and what was in its way could not be read: " + cause.getMessage(),
                Effect.UNKNOWN,
                cause);
    }

    /**
     * Of statements that PostgreSQL runs together with their commit: it has refused one of them, and has not come to the commit or has
     * refused that. A session or server that ends (57P01, 53100, 58030, XX000) may have committed before; what comes after the error in
     * the chain tells of it as well.
     */
    static boolean saysNothingWasDone(SQLException failure) {
        for (SQLException each = failure; each != null; each = each.getNextException()) {
            if (isConnectionLost(each)) {
                return false;
            }
        }
        String state = String.valueOf(failure.getSQLState());
        return (REFUSED.contains(state.substring(0, Math.min(2, state.length()))) && !COMPLETION_UNKNOWN.equals(state))
                || STOPPED.equals(state);
    }

    private static boolean saysRolledBack(String state) {
        return (state.startsWith("40") && !COMPLETION_UNKNOWN.equals(state))
                || state.startsWith("23")
                || FAILED_BEFORE.equals(state);
    }
}
