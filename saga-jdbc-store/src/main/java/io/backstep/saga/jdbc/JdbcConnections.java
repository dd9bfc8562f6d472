package io.backstep.saga.jdbc;

import io.backstep.saga.store.Transactions;
import java.sql.Connection;

/** The application's transactions, and the connection that each runs on. */
public interface JdbcConnections extends Transactions {
    /**
     * The connection of the calling thread's transaction. It belongs to the transaction: do not commit, roll back or close it, and
     * leave its autocommit alone. A transactional step that does so all the same fails with {@code SAGA-DB-007}.
     *
     * @return the connection
     * @throws IllegalStateException outside a transaction
     */
    Connection connection();
}
