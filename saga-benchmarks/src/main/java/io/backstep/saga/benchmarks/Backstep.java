package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

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

    private static final String FINISHED = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select gen_random_uuid(), d.id, d.type_id, null, repeat('0', 64), 'COMPLETED',
                  '{"steps":{"reserve":["SUCCEEDED"],"pay":["SUCCEEDED"],"confirm":["SUCCEEDED"],"ship":["SUCCEEDED"]}}',
                  repeat('x', 200), 1, 1, 4, null, null, null, clock_timestamp(), clock_timestamp()
                from generate_series(1, %d) n cross join (select id, type_id from saga_definition limit 1) d
            """;

    private static final String HISTORY = """
            insert into saga_step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, started_at, duration, node)
              select i.saga_id, s.seq, 0, s.step, 'ACTION', 1, 'SUCCEEDED', clock_timestamp(), 100, 'node'
                from saga_instance i
                  cross join (values (1, 'reserve'), (2, 'pay'), (3, 'confirm'), (4, 'ship')) as s(seq, step)
            """;

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
        this.engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(tuning())
                .listener(ends)
                .build();
        engine.register(definition);
        engine.start();
    }

    /** The defaults; a test has no time to wait for their lease. */
    private static Tuning tuning() {
        Tuning defaults = Tuning.defaults();
        long lease = Long.getLong(LEASE, defaults.lease().toMillis());
        return defaults.withLease(Duration.ofMillis(lease), defaults.pollInterval());
    }

    /** Inserts sagas that have ended, each with its history, into an empty database that knows a definition. */
    static void fill(Server database, long sagas) {
        database.execute(FINISHED.formatted(sagas));
        database.execute(HISTORY);
        database.execute("vacuum analyze");
    }

    private SagaDefinition<Order> definition(Kind kind) {
        return switch (kind) {
            case HAPPY -> Order.definition(order -> {});
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
