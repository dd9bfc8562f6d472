package io.backstep.saga.benchmarks;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What another session keeps locked until it is closed; closing also makes sure that the saga behind it then ends well. */
interface Blocked extends AutoCloseable {
    AtomicLong COUNT = new AtomicLong();
    Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    void close() throws Exception;

    static Blocked nothing() {
        return () -> {};
    }

    default Blocked and(Blocked other) {
        return () -> {
            try (this) {
                other.close();
            }
        };
    }

    /** The participant that the saga behind {@link #row} is in when its row is locked. */
    final class Gate {
        private final CompletableFuture<Void> reached = new CompletableFuture<>();
        private final CountDownLatch open = new CountDownLatch(1);

        void pass() {
            reached.complete(null);
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The row of a saga that has something to write all the time. */
    static Blocked row(Server server, SagaClient sagas, java.util.Map<String, Gate> gates) throws Exception {
        String reference = "locked-row-" + COUNT.incrementAndGet();
        Gate gate = new Gate();
        gates.put(reference, gate);
        UUID saga = sagas.start(Order.TYPE, Order.named(reference)).sagaId();
        gate.reached.get(60, TimeUnit.SECONDS);
        Connection connection = locked(server, saga);
        gate.open.countDown();
        return () -> {
            connection.rollback();
            connection.close();
            ended(sagas.await(saga, PATIENCE));
        };
    }

    private static Connection locked(Server server, UUID saga) throws SQLException {
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        try (PreparedStatement lock =
                connection.prepareStatement("select 1 from saga_instance where saga_id = ? for update")) {
            lock.setObject(1, saga);
            lock.execute();
        }
        return connection;
    }

    /** A business key that another session's open transaction has inserted, and a start that waits for it. */
    static Blocked key(Server server, SagaClient sagas, JdbcTransactions transactions) throws Exception {
        String key = "order-contended-" + COUNT.incrementAndGet();
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        transactions.join(connection, () -> start(sagas, key));
        CompletableFuture<SagaInstance> waiting = CompletableFuture.supplyAsync(() -> start(sagas, key));
        return () -> {
            if (waiting.isDone()) {
                throw new IllegalStateException("the start did not wait for the other transaction");
            }
            connection.rollback();
            connection.close();
            ended(sagas.await(waiting.get(60, TimeUnit.SECONDS).sagaId(), PATIENCE));
        };
    }

    private static SagaInstance start(SagaClient sagas, String key) {
        return sagas.start(Order.TYPE, Order.named(key), StartOptions.businessKey(key));
    }

    private static void ended(SagaInstance saga) {
        if (saga.status() != SagaStatus.COMPLETED) {
            throw new IllegalStateException("the saga that was blocked is " + saga.status());
        }
    }
}
