package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.RegisteredDefinition;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * What very many sagas that wait for a signal cost a node: heap, threads, claims, and the time from a signal to the next step. Bars: heap
 * within 10 MB and threads within 2 of a node without them, a claim's median within 1.5 times, signal to resume under 20 ms (median).
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

    private record Measured(long heap, int threads, double claimMillis, double resumeMillis) {}

    private final Map<UUID, CompletableFuture<Long>> resumed = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("waiting", "1000000");
        defaults.put("claims", "2000");
        defaults.put("signals", "100");
        defaults.put("settle-seconds", "5");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
        }
        report.line("%10s %10s %8s %12s %16s", "waiting", "heap MB", "threads", "claim ms", "resume p50 ms");
        Measured without = measured(settings, server, report, 0);
        server.execute(FILL.formatted(settings.number("waiting")));
        server.execute("analyze");
        Measured with = measured(settings, server, report, settings.number("waiting"));
        boolean met = with.heap() - without.heap() < MOST_HEAP
                && with.threads() - without.threads() <= 2
                && with.claimMillis() <= 1.5 * without.claimMillis()
                && with.resumeMillis() < 20;
        report.line("bars: %s", met ? "met" : "MISSED");
        return met;
    }

    private Measured measured(Settings settings, Server server, Report report, int waiting) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcSagaStore store = JdbcSagaStore.create(pool, transactions).withNotifications(pool);
            try (SagaEngine engine = SagaEngine.builder()
                    .store(store)
                    .transactions(transactions)
                    .tuning(Tuning.defaults())
                    .build()) {
                engine.register(definition());
                engine.start();
                resumes(engine, 5);
                double resume = resumes(engine, settings.number("signals")).getValueAtPercentile(50) / 1000.0;
                double claim = claims(store, settings.number("claims")).getValueAtPercentile(50) / 1000.0;
                LockSupport.parkNanos(settings.seconds("settle-seconds").toNanos());
                System.gc();
                long heap =
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
                int threads = ManagementFactory.getThreadMXBean().getThreadCount();
                report.line("%10d %10.1f %8d %12.3f %16.1f", waiting, heap / 1048576.0, threads, claim, resume);
                return new Measured(heap, threads, claim, resume);
            }
        }
    }

    /** That find nothing: what a node asks all the time. */
    private static Histogram claims(JdbcSagaStore store, int count) {
        RegisteredDefinition definition = store.register(TYPE.name(), 1, "");
        ClaimRequest request =
                new ClaimRequest(new Lease("benchmark", Duration.ofHours(1)), 50, List.of(definition.definitionId()));
        Histogram micros = new Histogram(3);
        for (int i = 0; i < count + count / 4; i++) {
            long from = System.nanoTime();
            store.claim(request, (claimed, failure) -> {
                if (claimed == null) {
                    throw new IllegalStateException("the claim failed", failure);
                }
            });
            if (i >= count / 4) {
                micros.recordValue((System.nanoTime() - from) / 1000);
            }
        }
        return micros;
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
