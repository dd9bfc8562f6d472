package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * How long it takes until a saga goes on with a signal that is sent to another node: from the call of signal there to the call of the next
 * step's action here. Bar, with notifications: a median under 20 ms.
 * Without notifications and with them, by turns; nothing else runs. And what an idle node asks the database. Bar: at most 2 transactions
 * a second.
 */
final class SignalLatency implements Scenario {
    private static final double BAR = 2;
    private static final String POLL = "poll";
    private static final String NOTIFY = "notify";

    private static final Step<String> GO = Step.named("go", String.class);
    private static final double RESUME_BAR_MILLIS = 20;

    /** Beside its wait a step has its second attempt before the lease is over: the saga stays with its node. */
    private static final SagaType<String> HELD = SagaType.named("held", String.class);
    /** It only waits: nobody has it. */
    private static final SagaType<String> AT_REST = SagaType.named("at-rest", String.class);

    private final Map<UUID, CompletableFuture<Long>> resumed = new ConcurrentHashMap<>();
    private final Random random = new Random(1);

    private record Running(HikariDataSource pool, JdbcSagaStore store, SagaEngine engine) implements AutoCloseable {
        @Override
        public void close() {
            engine.close();
            pool.close();
        }
    }

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("rounds", "5");
        defaults.put("signals", "20");
        defaults.put("settle-seconds", "20");
        defaults.put("idle-seconds", "120");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
        }
        boolean met = latencies(settings, server, report);
        for (String mode : new String[] {POLL, NOTIFY}) {
            met &= idle(mode, settings.seconds("settle-seconds"), settings.seconds("idle-seconds"), server, report);
        }
        return met;
    }

    // --- latency

    private boolean latencies(Settings settings, Server server, Report report) throws Exception {
        Map<String, Histogram> all = new LinkedHashMap<>();
        report.line(
                "%5s %-7s %-8s %8s %8s %8s %8s %8s",
                "round", "by", "saga", "signals", "p50 ms", "p90 ms", "p99 ms", "max ms");
        for (int round = 1; round <= settings.number("rounds"); round++) {
            for (String mode : new String[] {POLL, NOTIFY}) {
                try (Running owner = node(server, mode, held(), atRest());
                        Running other = node(server, mode)) {
                    signals(owner, other, 3, HELD); // warm
                    for (SagaType<String> type : List.of(HELD, AT_REST)) {
                        Histogram part = signals(owner, other, settings.number("signals"), type);
                        report.line(row(String.valueOf(round), mode, type, part));
                        all.computeIfAbsent(mode + " " + type.name(), any -> new Histogram(3))
                                .add(part);
                    }
                }
            }
        }
        all.forEach((name, histogram) -> {
            String[] words = name.split(" ");
            report.line(row("all", words[0], words[1].equals("held") ? HELD : AT_REST, histogram));
        });
        Histogram notified = all.getOrDefault(NOTIFY + " " + AT_REST.name(), new Histogram(3));
        double median = notified.getValueAtPercentile(50) / 1000.0;
        boolean met = median < RESUME_BAR_MILLIS;
        report.line(
                "signal to resume of a saga at rest, notified: p50 %.1f ms; bar < 20: %s",
                median, met ? "met" : "MISSED");
        report.line("");
        return met;
    }

    private static String row(String round, String mode, SagaType<?> type, Histogram micros) {
        return String.format(
                Locale.ROOT,
                "%5s %-7s %-8s %8d %8.1f %8.1f %8.1f %8.1f",
                round,
                mode,
                type.name(),
                micros.getTotalCount(),
                micros.getValueAtPercentile(50) / 1000.0,
                micros.getValueAtPercentile(90) / 1000.0,
                micros.getValueAtPercentile(99) / 1000.0,
                micros.getMaxValue() / 1000.0);
    }

    /** One at a time, at any moment of a poll interval. */
    private Histogram signals(Running owner, Running other, int count, SagaType<String> type) throws Exception {
        Histogram micros = new Histogram(3);
        for (int i = 0; i < count; i++) {
            UUID id = owner.engine().client().start(type, "in").sagaId();
            CompletableFuture<Long> called = resumed.computeIfAbsent(id, any -> new CompletableFuture<>());
            while (owner.store().history(id).isEmpty()) {
                LockSupport.parkNanos(1_000_000);
            }
            LockSupport.parkNanos((long) (random.nextDouble() * TimeUnit.SECONDS.toNanos(1)));
            long begun = System.nanoTime();
            other.engine().client().signal(id, GO, "measured", "m1");
            micros.recordValue((called.get(1, TimeUnit.MINUTES) - begun) / 1000);
            resumed.remove(id);
        }
        return micros;
    }

    private SagaDefinition<String> atRest() {
        return Saga.define(AT_REST)
                .step("one")
                .action(c -> {})
                .noCompensation("it does nothing")
                .awaitSignal(GO, Duration.ofHours(1))
                .step("then")
                .action(c -> resumed(c.sagaId()))
                .noCompensation("it only notes the time")
                .build();
    }

    private SagaDefinition<String> held() {
        return Saga.define(HELD)
                .step("away")
                .action(c -> {
                    throw new IOException("away");
                })
                .noCompensation("it does nothing")
                .retry(Retry.fixed(Duration.ofSeconds(9)).maxAttempts(2))
                .awaitSignal(GO, Duration.ofHours(1))
                .afterStart()
                .step("then")
                .after(GO)
                .action(c -> resumed(c.sagaId()))
                .noCompensation("it only notes the time")
                .build();
    }

    private void resumed(UUID id) {
        resumed.computeIfAbsent(id, any -> new CompletableFuture<>()).complete(System.nanoTime());
    }

    // --- idle

    private boolean idle(String mode, Duration settle, Duration time, Server server, Report report) throws Exception {
        try (Running node = node(server, mode, held())) {
            LockSupport.parkNanos(settle.toNanos()); // the server counts the start of a pool some seconds later
            long before = transactions(server);
            long begun = System.nanoTime();
            LockSupport.parkNanos(time.toNanos());
            double seconds = (System.nanoTime() - begun) / 1e9;
            double perSecond = (transactions(server) - before) / seconds;
            report.line(
                    "idle node, %-6s %.2f transactions a second over %.0f s, of the whole database, this question included; bar <= 2: %s",
                    mode, perSecond, seconds, perSecond <= BAR ? "met" : "MISSED");
            return perSecond <= BAR && node.engine().status().storeReachable();
        }
    }

    private static long transactions(Server server) {
        return Long.parseLong(server.value(
                "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()"));
    }

    /** With the default settings and a pool of its own. */
    private static Running node(Server server, String mode, SagaDefinition<?>... definitions) {
        HikariDataSource pool = server.pool();
        JdbcTransactions transactions = new JdbcTransactions(pool);
        JdbcSagaStore plain = JdbcSagaStore.create(pool, transactions);
        JdbcSagaStore store = mode.equals(NOTIFY) ? plain.withNotifications(pool) : plain;
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .tuning(Tuning.defaults())
                .build();
        for (SagaDefinition<?> definition : definitions) {
            engine.register(definition);
        }
        engine.start();
        return new Running(pool, store, engine);
    }
}
