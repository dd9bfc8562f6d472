package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.RegisteredDefinition;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What very many sagas that wait for a signal cost a node: heap, threads, claims that find nothing and claims that take due sagas, and the time
 * from a signal to the next step. Measured without them, with them, and without them again, after a warm-up; in the end some of them are told
 * what they wait for, and must complete. Bars, beside each of the times without them: heap within 10 MB, threads within 2, the median
 * of each kind of claim within 1.5 times, signal to resume under 20 ms (median).
 */
final class WaitingSagas implements Scenario {
    private static final Step<String> GO = Step.named("go", String.class);
    private static final SagaType<String> TYPE = SagaType.named("waiting", String.class);
    private static final long MOST_HEAP = 10L << 20;

    private static final String FILL = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select gen_random_uuid(), d.id, d.type_id, 'waits-' || n, repeat('0', 64), 'RUNNING',
                '{"steps":{"go":["WAITING",0,0,0,4,0,2592000000001],"then":["PENDING"]}}', '"in"', 1, 0, 0, null,
                clock_timestamp() + interval '30 days' + n * interval '1 millisecond', null, clock_timestamp(), clock_timestamp()
              from saga_definition d, generate_series(1, %d) n where d.name = 'waiting'
            """;

    /** Due sagas of the same definition, as many as a claim takes. */
    private static final String ADD_DUE = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select gen_random_uuid(), d.id, d.type_id, 'due-' || n, repeat('0', 64), 'RUNNING', '{}', '"in"', 1, 0, 0, null,
                clock_timestamp(), null, clock_timestamp(), clock_timestamp()
              from saga_definition d, generate_series(1, %d) n where d.name = 'waiting'
            """;

    private static final String MAKE_DUE = """
            update saga_instance set owner = null, due_at = clock_timestamp() - interval '1 second'
              where type_id = ? and business_key = any(?)
            """;

    private record Measured(long heap, int threads, double claimMillis, double takeMillis, double resumeMillis) {
        boolean meets(Measured without) {
            return heap - without.heap < MOST_HEAP
                    && threads - without.threads <= 2
                    && claimMillis <= 1.5 * without.claimMillis
                    && takeMillis <= 1.5 * without.takeMillis
                    && resumeMillis < 20;
        }
    }

    private final Map<UUID, CompletableFuture<Long>> resumed = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("waiting", "1000000");
        defaults.put("claims", "2000");
        defaults.put("due", "5");
        defaults.put("signals", "100");
        defaults.put("answered", "20");
        defaults.put("settle-seconds", "5");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
        }
        report.line(
                "%10s %10s %8s %12s %12s %16s",
                "waiting", "heap MB", "threads", "claim ms", "take ms", "resume p50 ms");
        measured(settings, server, report, 0);
        report.line("  that was the warm-up");
        Measured before = measured(settings, server, report, 0);
        server.execute(FILL.formatted(settings.number("waiting")));
        server.execute("analyze");
        Measured with = measured(settings, server, report, settings.number("waiting"));
        server.execute("truncate saga_instance");
        server.execute("analyze");
        Measured after = measured(settings, server, report, 0);
        boolean met = with.meets(before) && with.meets(after);
        report.line("bars: %s", met ? "met" : "MISSED");
        return met;
    }

    private Measured measured(Settings settings, Server server, Report report, int waiting) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcSagaStore store = JdbcSagaStore.create(pool, transactions).withNotifications(pool);
            SagaDefinition<String> definition = definition();
            RegisteredDefinition registered = store.register(TYPE.name(), 1, definition.fingerprint());
            double take = takes(settings, server, pool, store, registered).getValueAtPercentile(50) / 1000.0;
            try (SagaEngine engine = SagaEngine.builder()
                    .store(store)
                    .transactions(transactions)
                    .tuning(Tuning.defaults())
                    .build()) {
                engine.register(definition);
                engine.start();
                resumes(engine, 5);
                double resume = resumes(engine, settings.number("signals")).getValueAtPercentile(50) / 1000.0;
                double claim =
                        finds(store, registered, settings.number("claims")).getValueAtPercentile(50) / 1000.0;
                LockSupport.parkNanos(settings.seconds("settle-seconds").toNanos());
                System.gc();
                long heap =
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
                int threads = ManagementFactory.getThreadMXBean().getThreadCount();
                report.line(
                        "%10d %10.1f %8d %12.3f %12.3f %16.1f",
                        waiting, heap / 1048576.0, threads, claim, take, resume);
                if (waiting > 0) {
                    answer(engine, waiting, settings.number("answered"));
                    report.line(
                            "  %d of them were told what they wait for, and are COMPLETED",
                            settings.number("answered"));
                }
                return new Measured(heap, threads, claim, take, resume);
            }
        }
    }

    /** Claims that find nothing: what a node asks all the time. */
    private static Histogram finds(JdbcSagaStore store, RegisteredDefinition definition, int count) {
        Histogram micros = new Histogram(3);
        for (int i = 0; i < count + count / 4; i++) {
            long from = System.nanoTime();
            claim(store, definition, 0);
            if (i >= count / 4) {
                micros.recordValue((System.nanoTime() - from) / 1000);
            }
        }
        return micros;
    }

    /** Claims that take due sagas, again and again the same ones; no node runs meanwhile. */
    private static Histogram takes(
            Settings settings,
            Server server,
            HikariDataSource pool,
            JdbcSagaStore store,
            RegisteredDefinition definition)
            throws SQLException {
        int due = settings.number("due");
        int count = settings.number("claims");
        String[] keys = IntStream.rangeClosed(1, due).mapToObj(i -> "due-" + i).toArray(String[]::new);
        Histogram micros = new Histogram(3);
        server.execute(ADD_DUE.formatted(due));
        try (Connection connection = pool.getConnection();
                PreparedStatement update = connection.prepareStatement(MAKE_DUE)) {
            update.setInt(1, definition.typeId());
            update.setArray(2, connection.createArrayOf("text", keys));
            for (int i = 0; i < count + count / 4; i++) {
                update.executeUpdate();
                long from = System.nanoTime();
                claim(store, definition, due);
                if (i >= count / 4) {
                    micros.recordValue((System.nanoTime() - from) / 1000);
                }
            }
        }
        server.execute("delete from saga_instance where business_key like 'due-%'");
        server.execute("vacuum saga_instance");
        return micros;
    }

    private static void claim(JdbcSagaStore store, RegisteredDefinition definition, int due) {
        ClaimRequest request =
                new ClaimRequest(new Lease("benchmark", Duration.ofHours(1)), 50, List.of(definition.definitionId()));
        AtomicInteger found = new AtomicInteger();
        store.claim(request, (claimed, failure) -> {
            if (claimed == null) {
                throw new IllegalStateException("the claim failed", failure);
            }
            found.set(claimed.size());
        });
        if (found.get() != due) {
            throw new IllegalStateException("claimed " + found + " instead of " + due);
        }
    }

    /** Some of the many: they are sagas like any other. */
    private void answer(SagaEngine engine, int waiting, int count) {
        for (int i = 0; i < count; i++) {
            String key = "waits-" + (1 + (long) i * waiting / count);
            SignalOutcome told = engine.client().signal(TYPE, key, GO, "yes", "m1");
            UUID id = engine.client().find(TYPE, key).orElseThrow().sagaId();
            SagaStatus status = engine.client().await(id, Duration.ofMinutes(1)).status();
            resumed.remove(id);
            if (told != SignalOutcome.ACCEPTED || status != SagaStatus.COMPLETED) {
                throw new IllegalStateException(key + " was told (" + told + ") and is " + status);
            }
        }
    }

    private Histogram resumes(SagaEngine engine, int count) throws Exception {
        Histogram micros = new Histogram(3);
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            UUID id = engine.client().start(TYPE, "in").sagaId();
            CompletableFuture<Long> called = resumed.computeIfAbsent(id, any -> new CompletableFuture<>());
            LockSupport.parkNanos((long) (random.nextDouble() * TimeUnit.MILLISECONDS.toNanos(300)));
            long begun = System.nanoTime();
            engine.client().signal(id, GO, "yes", "m1");
            micros.recordValue((called.get(1, TimeUnit.MINUTES) - begun) / 1000);
            resumed.remove(id);
        }
        return micros;
    }

    private SagaDefinition<String> definition() {
        return Saga.define(TYPE)
                .awaitSignal(GO, Duration.ofDays(30))
                .step("then")
                .action(c -> resumed.computeIfAbsent(c.sagaId(), any -> new CompletableFuture<>())
                        .complete(System.nanoTime()))
                .noCompensation("it only notes the time")
                .build();
    }
}
