package io.backstep.saga.spring;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells a database that is away, and may come back by itself, from one that answers and refuses. One that cannot be written yet is away, too:
 * a standby before it is promoted.
 */
final class NoAnswer {
    private static final int MOST_CAUSES = 50;
    private static final int MARIADB_TOO_MANY_CONNECTIONS = 1040;

    /** PostgreSQL's: ended by an operator or a crash, starting up, too many connections, read-only; then H2's. */
    private static final Set<String> AWAY =
            Set.of("57P01", "57P02", "57P03", "57P05", "53300", "25006", "90067", "90097", "90098", "90121");

    /** By an option, or by the mode of the server. */
    private static final Set<Integer> MARIADB_READ_ONLY = Set.of(1290, 1836);

    private static final String NO_SUCH_DATABASE = "3D000";
    private static final String REJECTED = "08004";

    private NoAnswer() {}

    /**
     * Looks through all causes: pools and transaction managers wrap what the driver has said, and lose its number. The innermost is the
     * driver's.
     *
     * @param failure what was thrown
     * @return whether waiting may help
     */
    static boolean is(Throwable failure) {
        boolean away = false;
        boolean refused = false;
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                away |= isAway(sql);
                refused = isRefusal(sql);
            }
        }
        return away && !refused;
    }

    /**
     * What the driver has said.
     *
     * @param failure what was thrown
     * @return its SQLState, or nothing
     */
    static String innermostState(Throwable failure) {
        String state = "";
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                state = String.valueOf(sql.getSQLState());
            }
        }
        return state;
    }

    private static boolean isAway(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("08")
                || AWAY.contains(state)
                || MARIADB_READ_ONLY.contains(failure.getErrorCode())
                || failure instanceof SQLTransientConnectionException;
    }

    /** MariaDB says "rejected" when it has too many connections; PostgreSQL when no password was given, or SSL is not to be had. */
    private static boolean isRefusal(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28")
                || NO_SUCH_DATABASE.equals(state)
                || (REJECTED.equals(state) && failure.getErrorCode() != MARIADB_TOO_MANY_CONNECTIONS);
    }
}
