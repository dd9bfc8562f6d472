package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What differs from database to database: writes in the one transaction that the given connection is in. */
interface Dialect {
    /** Inserts what is not in the way of another; waits for whoever inserts the same. Gives the ids that are inserted. */
    Set<UUID> insert(Connection connection, List<NewInstance> batch) throws SQLException;

    /** Applies what still fits its fence, with history and compensation log. Gives the ids that are written. */
    Set<UUID> submit(Connection connection, List<Mutation> batch) throws SQLException;

    /** Takes due sagas. Gives their ids, and whether somebody else still stood as the owner. */
    Map<UUID, Boolean> claim(Connection connection, ClaimRequest request) throws SQLException;

    /** Takes one saga if it is due and nobody's; true when taken. */
    boolean claimOne(Connection connection, UUID sagaId, Lease lease) throws SQLException;

    /** Raises the epoch where it is still the owner's; true when it was. */
    boolean recover(Connection connection, Held held, Lease lease) throws SQLException;

    /** Renews leases, skipping locked rows. Gives the ids that are renewed. */
    Set<UUID> renew(Connection connection, List<Held> held, Lease lease) throws SQLException;

    /** Inserts a row unless it is there. */
    void insertIfAbsent(Connection connection, String table, String columns, Object... values) throws SQLException;

    /** Limits how long this transaction waits for locks: the engine yields, never the caller. */
    void limitLockWait(Connection connection, long millis) throws SQLException;

    /** The database's clock, as an expression. */
    String clock();

    /** Whether it failed for a lock that somebody else holds, or for a deadlock. */
    boolean isLockFailure(SQLException failure);
}
