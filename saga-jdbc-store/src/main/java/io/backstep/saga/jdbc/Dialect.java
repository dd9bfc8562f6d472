package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What differs from database to database. Each method but {@link #begin} works in the transaction that the given connection is in.
 */
interface Dialect {
    /** Where in a transaction a statement stands. */
    enum Place {
        /** First in a transaction of ours, with nothing to be written after it: it may be committed along with this. */
        FIRST,
        /** Later in a transaction of ours, after {@link Dialect#open}. */
        OPENED,
        /** In a transaction that the application has part in. */
        INSIDE
    }

    /** Begins a transaction of ours. */
    OwnTransaction begin(DataSource dataSource);

    /** First in a transaction that has just begun, before what does not have to be first: makes it READ COMMITTED. */
    void open(Connection connection) throws SQLException;

    /** The same after a rollback. */
    default void openAgain(Connection connection) throws SQLException {
        open(connection);
    }

    /**
     * Inserts what is not in the way of another; waits for whoever inserts the same, but only shortly when the transaction is ours. Gives
     * the ids that are inserted.
     */
    Set<UUID> insert(Connection connection, List<NewInstance> batch, Place place) throws SQLException;

    /**
     * Applies what still fits its fence, with history and compensation log; waits for locks only shortly: the engine yields, never
     * another. Not {@link Place#FIRST}, which is {@link #write}. Gives the ids that are written.
     */
    Set<UUID> submit(Connection connection, List<Mutation> batch, Place place) throws SQLException;

    /**
     * Does both, {@link Place#FIRST} in a transaction of ours; either may be empty. Nobody else inserts the same. Gives the ids of all that is
     * inserted and written.
     */
    default Set<UUID> write(Connection connection, List<Mutation> mutations, List<NewInstance> starts)
            throws SQLException {
        Set<UUID> ids = new HashSet<>();
        if (!mutations.isEmpty()) {
            ids.addAll(submit(connection, mutations, Place.OPENED));
        }
        if (!starts.isEmpty()) {
            ids.addAll(insert(connection, starts, Place.OPENED));
        }
        return ids;
    }

    /** Whether what stands first is committed along with its statement. */
    default boolean commitsAlong() {
        return false;
    }

    /** Locks the rows that nobody else has locked, anywhere in a transaction. Gives their ids. */
    Set<UUID> lock(Connection connection, List<UUID> sagaIds) throws SQLException;

    /** Runs a query, first and last in a transaction of ours, which it may commit. Gives its rows. */
    <T> List<T> queryAlone(Connection connection, String query, Sql.Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException;

    /** After the name of the table of sagas: how it is to be read by due times; empty where the database needs no advice. */
    default String byDue() {
        return "";
    }

    /** Whether a statement and the commit can go in one round trip. */
    default boolean takesCommits() {
        return false;
    }

    /** Takes due sagas; first and last in a transaction of ours, which it may commit: nobody knows when the connection breaks. */
    List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException;

    /** The condition that a row is of one of these definitions, for databases without arrays. */
    static String among(List<Integer> definitionIds) {
        return "definition_id in ("
                + MailStatements.known(definitionIds).stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ")) + ")";
    }

    /** Takes one saga if it is due, nobody's, and of one of these definitions; first in a transaction of ours; true when taken. */
    boolean claimOne(Connection connection, UUID sagaId, Lease lease, List<Integer> definitionIds) throws SQLException;

    /**
     * Raises the epoch where it is still the owner's, waiting for whoever has the row locked; first in a transaction of ours. True
     * when it was.
     */
    boolean recover(Connection connection, Held held, Lease lease) throws SQLException;

    /** Renews leases, skipping locked rows; first in a transaction of ours. Gives the ids that are renewed. */
    Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException;

    /**
     * Runs an INSERT of one row, anywhere in a transaction, unless it would break a unique key; waits for whoever inserts the same.
     * Gives whether it is inserted.
     */
    boolean insertIfAbsent(Connection connection, String insert, @Nullable Object... values) throws SQLException;

    /**
     * The same in a transaction that the application has part in; waits for whoever inserts the same as shortly as an update there, if
     * the database would give up at all.
     */
    default boolean insertInside(Connection connection, String insert, @Nullable Object... values) throws SQLException {
        return insertIfAbsent(connection, insert, values);
    }

    /**
     * Inserts a row, or takes over the one in its way, anywhere in a transaction; waits shortly for whoever writes the same row. Gives
     * the row as it is then.
     *
     * @param keep whether the transaction must stay usable when this fails, if the database can do that
     */
    <T> T take(Connection connection, Taking taking, Taking.Values values, boolean keep, Sql.Mapper<T> mapper)
            throws SQLException;

    /**
     * Runs an UPDATE of one row in a transaction that the application has part in; waits shortly for whoever has the row locked.
     * Gives how many rows it counts, of those that it changes. After a failure the caller goes back to a savepoint.
     */
    int updateInside(Connection connection, String update, @Nullable Object... values) throws SQLException;

    /** Leaves a mark that goes with the transaction, and no other way. */
    default Mark mark(Connection connection) throws SQLException {
        Savepoint mark = connection.setSavepoint("saga_step");
        return () -> {
            try {
                connection.releaseSavepoint(mark);
                return true;
            } catch (SQLException e) {
                return false; // the database does not know it any more
            }
        };
    }

    /** Tells whether the transaction is still the one that was marked. */
    interface Mark {
        /**
         * Looks for the mark.
         *
         * @return false when the transaction has been committed or rolled back since
         * @throws SQLException when that cannot be told
         */
        boolean isThere() throws SQLException;
    }

    /** The database's clock, as an expression. */
    String clock();

    /** So many microseconds (a parameter, which may be negative) after the database's clock, as an expression. */
    String later();

    /** As {@link #later()}, by a clock that stands still during a statement where an index can only be searched by such a one. */
    default String laterOfStatement() {
        return later();
    }

    /** A time as a parameter. */
    Object time(Instant instant);
}
