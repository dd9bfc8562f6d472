package io.backstep.saga.examples.plain;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** The service, with one engine: made when the process starts, closed when it stops. */
public final class OrderService implements AutoCloseable {
    private final JdbcTransactions transactions;
    private final Sql sql;
    private final Inventory inventory;
    private final SagaEngine engine;
    private final SagaClient sagas;

    /**
     * Makes the tables that are missing, and starts the engine.
     *
     * @param dataSource a pool of at least two connections, because there are transactional steps; not closed here
     * @throws Exception when the database does not answer
     */
    public OrderService(DataSource dataSource) throws Exception {
        transactions = new JdbcTransactions(dataSource);
        sql = new Sql(transactions);
        inventory = new Inventory(transactions);
        SagaSchema.migrate(dataSource); // the engine's tables
        transactions.run(() -> sql.update(Tables.DDL)); // the service's own
        engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(dataSource, transactions))
                .transactions(transactions)
                .build();
        engine.register(
                OrderSaga.definition(new Orders(sql), inventory, new Payments(transactions), new Mail(transactions)));
        engine.start();
        sagas = engine.client();
    }

    /**
     * Starts an order's saga; it is durable when this returns.
     *
     * @param order what is wanted
     * @return the saga's id, and the order's
     */
    public UUID place(PlaceOrder order) {
        return sagas.start(OrderSaga.TYPE, order, StartOptions.businessKey(order.reference()))
                .sagaId();
    }

    /**
     * Notes that an order came in and starts its saga, in one transaction: both or neither. Nothing is called before the commit.
     *
     * @param order what is wanted
     * @return the saga's id
     * @throws Exception when the order was noted before
     */
    public UUID receive(PlaceOrder order) throws Exception {
        return transactions.run(() -> note(order));
    }

    /**
     * The same in a transaction that the caller holds, and commits or rolls back. The engine does not see that commit, so the saga
     * begins with its next poll, at most a second later.
     *
     * @param connection the caller's, with autocommit off
     * @param order what is wanted
     * @return the saga's id
     * @throws Exception when the order was noted before
     */
    public UUID receive(Connection connection, PlaceOrder order) throws Exception {
        return transactions.join(connection, () -> note(order));
    }

    private UUID note(PlaceOrder order) throws Exception {
        UUID saga = place(order);
        sql.update("insert into received_order (reference, saga_id) values (?, ?)", order.reference(), saga);
        return saga;
    }

    /**
     * Waits for the end of a saga.
     *
     * @param saga its id
     * @return as it is at its end; or as it is after half a minute, or when it is parked: then {@code ended()} is false
     */
    public SagaInstance await(UUID saga) {
        return sagas.await(saga, Duration.ofSeconds(30));
    }

    /**
     * Looks a saga up.
     *
     * @param reference of the order
     * @return whether there is one
     */
    public boolean knows(String reference) {
        return sagas.find(OrderSaga.TYPE, reference).isPresent();
    }

    /**
     * Puts goods into the stock.
     *
     * @param sku what
     * @param quantity how many
     * @throws Exception when the database does not answer
     */
    public void deliver(String sku, int quantity) throws Exception {
        inventory.deliver(sku, quantity);
    }

    /** Waits for running attempts, gives the sagas back to the database, and stops the engine. */
    @Override
    public void close() {
        engine.close();
    }
}
