package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.jdbc.JdbcOutboxStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.messaging.OutboxListener;
import io.backstep.saga.messaging.OutboxRelay;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** How fast one relay sends what waits in the outbox, to a broker that confirms at once. Bar: 10,000 messages a second. */
final class OutboxThroughput implements Scenario {
    private static final double BAR = 10_000;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("rounds", "3");
        defaults.put("messages", "200000");
        defaults.put("bytes", "500");
        defaults.put("aggregates", "20000");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
            int messages = settings.number("messages");
            double all = 0;
            int rounds = settings.number("rounds");
            report.line("%5s %10s %7s %12s", "round", "messages", "bytes", "messages/s");
            for (int round = 1; round <= rounds; round++) {
                fill(server, settings);
                double rate = messages / drain(pool, messages);
                all += rate;
                report.line("%5d %10d %7d %12.0f", round, messages, settings.number("bytes"), rate);
            }
            report.line("heap %d MiB at most", Runtime.getRuntime().maxMemory() >> 20);
            return report.atLeast("messages a second", all / rounds, BAR);
        }
    }

    private static void fill(Server server, Settings settings) throws Exception {
        server.execute("truncate saga_outbox");
        server.execute("""
                insert into saga_outbox (created_at, id, aggregatetype, aggregateid, type, payload, size, lane, status, attempts)
                  select clock_timestamp(), gen_random_uuid(), 'order', 'order-' || n %% %d, 'OrderPlaced',
                      decode(repeat('ab', %d), 'hex'), %d, n %% %d %% 16, 'NEW', 0
                    from generate_series(1, %d) n
                """.formatted(
                        settings.number("aggregates"),
                        settings.number("bytes"),
                        settings.number("bytes"),
                        settings.number("aggregates"),
                        settings.number("messages")));
        server.execute("analyze saga_outbox");
        server.execute("checkpoint");
    }

    /** How many seconds it takes until all are marked. */
    private static double drain(HikariDataSource pool, int messages) throws Exception {
        AtomicInteger left = new AtomicInteger(messages);
        CompletableFuture<Void> empty = new CompletableFuture<>();
        JdbcOutboxStore store = JdbcOutboxStore.create(pool, new JdbcTransactions(pool));
        try (OutboxRelay relay = OutboxRelay.builder(store, (id, message) -> CompletableFuture.completedFuture(id))
                .listener(new Countdown(left, empty))
                .build()) {
            long begin = System.nanoTime();
            relay.start();
            try {
                empty.get(10, TimeUnit.MINUTES);
            } catch (TimeoutException e) {
                throw new IllegalStateException(left + " messages are left", e);
            }
            return (System.nanoTime() - begin) / 1e9;
        }
    }

    private record Countdown(AtomicInteger left, CompletableFuture<Void> empty) implements OutboxListener {
        @Override
        public void sent(int count) {
            if (left.addAndGet(-count) <= 0) {
                empty.complete(null);
            }
        }
    }
}
