package io.backstep.saga.examples.plain;

import java.sql.SQLException;
import java.util.UUID;

/** The orders. For transactional steps: runs in the transaction that records the step, so each of these happens exactly once. */
final class Orders {
    private final Sql sql;

    Orders(Sql sql) {
        this.sql = sql;
    }

    void create(UUID id, PlaceOrder order) throws SQLException {
        sql.update(
                "insert into orders (id, reference, sku, quantity, status) values (?, ?, ?, ?, 'PENDING')",
                id,
                order.reference(),
                order.sku(),
                order.quantity());
    }

    void confirm(UUID id) throws SQLException {
        sql.update("update orders set status = 'CONFIRMED' where id = ?", id);
    }

    void reject(UUID id) throws SQLException {
        sql.update("update orders set status = 'REJECTED' where id = ?", id);
    }
}
