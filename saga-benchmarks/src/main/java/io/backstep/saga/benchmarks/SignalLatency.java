package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaType;
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
 * How long it takes until a node does what another one was asked for: from the call of cancel there to the call of the compensation here.
 * Without notifications and with them, by turns; nothing else runs. And what an idle node asks the database. Bar: at most 2 transactions
 * a second.
 */
final class SignalLatency implements Scenario {
    private static final double BAR = 2;
    private static final String POLL = "poll";
    private static final String NOTIFY = "notify";

    /** Its second attempt comes before the lease is over: the saga stays with its node. */
    private static final SagaType<String> HELD = SagaType.named("held", String.class);
    /** Its second attempt comes in an hour: nobody has it until then. */
    private static final SagaType<String> AT_REST = SagaType.named("at-rest", String.class);

    private final Map<UUID, CompletableFuture<Long>> undone = new ConcurrentHashMap<>();
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
        latencies(settings, server, report);
        boolean met = true;
        for (String mode : new String[] {POLL, NOTIFY}) {
            met &= idle(mode, settings.seconds("settle-seconds"), settings.seconds("idle-seconds"), server, report);
        }
        return met;
    }

    // --- latency

    private void latencies(Settings settings, Server server, Report report) throws Exception {
        Map<String, Histogram> all = new LinkedHashMap<>();
        report.line(
                "%5s %-7s %-8s %8s %8s %8s %8s %8s",
                "round", "by", "saga", "signals", "p50 ms", "p90 ms", "p99 ms", "max ms");
        for (int round = 1; round <= settings.number("rounds"); round++) {
            for (String mode : new String[] {POLL, NOTIFY}) {
                try (Running owner = node(
                                server,
                                mode,
                                failing(HELD, Duration.ofSeconds(9)),
                                failing(AT_REST, Duration.ofHours(1)));
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
        report.line("");
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
            CompletableFuture<Long> called = undone.computeIfAbsent(id, any -> new CompletableFuture<>());
            while (owner.store().history(id).isEmpty()) {
                LockSupport.parkNanos(1_000_000);
            }
            LockSupport.parkNanos((long) (random.nextDouble() * TimeUnit.SECONDS.toNanos(1)));
            long begun = System.nanoTime();
            other.engine().client().cancel(id, "measured");
            micros.recordValue((called.get(1, TimeUnit.MINUTES) - begun) / 1000);
            undone.remove(id);
        }
        return micros;
    }

    private SagaDefinition<String> failing(SagaType<String> type, Duration pause) {
        return Saga.define(type)
                .step("one")
                .action(c -> {
                    throw new IOException("away");
                })
                .compensate(c -> {
                    undone.computeIfAbsent(c.sagaId(), any -> new CompletableFuture<>())
                            .complete(System.nanoTime());
                })
                .retry(Retry.fixed(pause).maxAttempts(2))
                .build();
    }

    // --- idle

    private boolean idle(String mode, Duration settle, Duration time, Server server, Report report) throws Exception {
        try (Running node = node(server, mode, failing(HELD, Duration.ofSeconds(9)))) {
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
