package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaEngineBuilder;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Our engine on the JDBC store, by its public builder, with all defaults; a start without a business key. */
final class Backstep implements Contender {
    /** A system property: the lease in milliseconds. */
    static final String LEASE = "lease-millis";

    static final String TALLY = """
            select count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'COMPENSATED'),
                count(*) filter (where status not in ('COMPLETED', 'COMPENSATED'))
              from saga_instance
            """;

    private static final String EFFECTS =
            "create table if not exists effect (saga_id uuid not null, step text not null)";
    private static final String EFFECT = "insert into effect (saga_id, step) values (?, ?)";

    private static final int SLOW_MILLIS = 200;
    private static final int VIRTUAL_THREADS_SINCE = 21;
    private static final int MANY = 10_000;
    private static final int CLIENTS = 256;

    private final Server database;
    private final HikariDataSource pool;
    private final JdbcTransactions transactions;
    private final SagaDefinition<Order> definition;
    private final Ends ends = new Ends();
    private final SagaEngine engine;

    Backstep(Server database, Kind kind) {
        this.database = database;
        this.pool = database.pool();
        SagaSchema.migrate(pool);
        this.transactions = new JdbcTransactions(pool);
        this.definition = definition(kind);
        SagaEngineBuilder builder = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(tuning())
                .listener(ends);
        if (kind == Kind.SLOW) {
            forWaiting(builder);
        }
        this.engine = builder.build();
        engine.register(definition);
        engine.start();
    }

    /** The defaults; a test has no time to wait for their lease. */
    private static Tuning tuning() {
        Tuning defaults = Tuning.defaults();
        long lease = Long.getLong(LEASE, defaults.lease().toMillis());
        return defaults.withLease(Duration.ofMillis(lease), defaults.pollInterval());
    }

    /** Participants that mostly wait get a virtual thread each, where there are such; else the sixteen workers of the defaults. */
    private static void forWaiting(SagaEngineBuilder builder) {
        if (hasVirtualThreads()) {
            builder.executor(virtualThreads()).tuning(tuning().withWorkerThreads(MANY));
        }
    }

    static boolean hasVirtualThreads() {
        return Runtime.version().feature() >= VIRTUAL_THREADS_SINCE;
    }

    /** {@code Executors.newVirtualThreadPerTaskExecutor()}, which Java 17, for which this is compiled, does not have. */
    private static Executor virtualThreads() {
        try {
            return (Executor)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void takeSomeTime(Order order) {
        sleep(SLOW_MILLIS);
    }

    private static void stay(Order order) {
        if (order.quantity() == 0) {
            sleep(Long.MAX_VALUE);
        }
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private SagaDefinition<Order> definition(Kind kind) {
        return switch (kind) {
            case HAPPY -> Order.definition(order -> {});
            case SLOW -> Order.definition(Backstep::takeSomeTime, Backstep::takeSomeTime);
            case STAYING -> Order.definition(Backstep::stay);
            case REJECTED -> rejected();
            case TRANSACTIONAL -> {
                database.execute(EFFECTS);
                yield transactional();
            }
        };
    }

    private static SagaDefinition<Order> rejected() {
        return Saga.define(SagaType.named("benchmark-order-rejected", Order.class))
                .step(STEPS[0])
                .action(c -> {})
                .compensate(c -> {})
                .step(STEPS[1])
                .action(c -> {})
                .compensate(c -> {})
                .pivot(STEPS[2])
                .action(c -> {
                    throw new StepRejectedException("NO", "this order is rejected");
                })
                .retriable(STEPS[3])
                .action(c -> {})
                .build();
    }

    private SagaDefinition<Order> transactional() {
        return Saga.define(SagaType.named("benchmark-order-transactional", Order.class))
                .step(STEPS[0])
                .transactional()
                .action(this::insertEffect)
                .compensate(c -> {})
                .step(STEPS[1])
                .transactional()
                .action(this::insertEffect)
                .compensate(c -> {})
                .pivot(STEPS[2])
                .transactional()
                .action(this::insertEffect)
                .retriable(STEPS[3])
                .transactional()
                .action(this::insertEffect)
                .build();
    }

    private void insertEffect(StepContext<Order> context) throws SQLException {
        try (PreparedStatement insert = transactions.connection().prepareStatement(EFFECT)) {
            insert.setObject(1, context.sagaId());
            insert.setString(2, context.stepName());
            insert.executeUpdate();
        }
    }

    @Override
    public CompletableFuture<End> start(Order order) {
        return ends.end(engine.client().start(definition.type(), order).sagaId())
                .thenApply(Backstep::end);
    }

    private static End end(SagaStatus status) {
        return switch (status) {
            case COMPLETED -> End.COMPLETED;
            case COMPENSATED -> End.COMPENSATED;
            default -> throw new IllegalStateException("a saga is " + status);
        };
    }

    /** A start blocks for one flush only. */
    @Override
    public Executor clients(int inFlight) {
        return Contender.super.clients(Math.min(inFlight, CLIENTS));
    }

    @Override
    public Tally tally() throws SQLException {
        return database.tally(TALLY);
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
