package io.backstep.saga.examples.plain;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.util.Optional;

/**
 * The inventory, with transactions of its own, as a service beside this one would have. Each call may come twice, late, or in the
 * wrong order: the key tells. Of two calls that race for a new key the slower one fails on the primary key, and is tried again.
 */
final class Inventory {
    private final JdbcTransactions transactions;
    private final Sql sql;

    Inventory(JdbcTransactions transactions) {
        this.transactions = transactions;
        this.sql = new Sql(transactions);
    }

    void reserve(String key, String sku, int quantity) throws Exception {
        transactions.run(() -> {
            Optional<String> earlier = sql.first("select status from reservation where id = ? for update", key);
            if (earlier.isEmpty()) {
                take(sku, quantity);
                return sql.update(
                        "insert into reservation (id, sku, quantity, status) values (?, ?, ?, 'RESERVED')",
                        key,
                        sku,
                        quantity);
            }
            if (earlier.get().equals("RELEASED")) {
                throw new StepRejectedException("RELEASED", "too late: " + key + " has been released");
            }
            return 0; // the same call again
        });
    }

    private void take(String sku, int quantity) throws Exception {
        int taken = sql.update(
                "update stock set available = available - ? where sku = ? and available >= ?", quantity, sku, quantity);
        if (taken == 0) {
            throw new StepRejectedException("OUT_OF_STOCK", "there are not " + quantity + " of " + sku + " left");
        }
    }

    /** Gives back what the key has reserved; else leaves a mark, which refuses a reservation that is still under way. */
    void release(String key) throws Exception {
        transactions.run(() -> {
            if (sql.update("update reservation set status = 'RELEASED' where id = ? and status = 'RESERVED'", key)
                    == 1) {
                return sql.update("""
                        update stock set available = available + (select quantity from reservation where id = ?)
                        where sku = (select sku from reservation where id = ?)
                        """, key, key);
            }
            return sql.update("""
                    insert into reservation (id, sku, quantity, status) select ?, '', 0, 'RELEASED'
                    where not exists (select 1 from reservation where id = ?)
                    """, key, key);
        });
    }

    void deliver(String sku, int quantity) throws Exception {
        transactions.run(() -> {
            int known = sql.update("update stock set available = available + ? where sku = ?", quantity, sku);
            return known == 1 ? 1 : sql.update("insert into stock (sku, available) values (?, ?)", sku, quantity);
        });
    }
}
