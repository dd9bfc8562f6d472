package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.benchmarks.Blocked.Gate;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What neighbours feel of a row, and of a business key, that somebody else keeps locked. Windows without and with a lock alternate.
 * Bar: the p99 of the neighbours is less than twice as long.
 */
final class LockedRow implements Scenario {
    private static final double BAR = 2;
    private static final String BASELINE = "baseline";

    private final Map<String, Gate> gates = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("in-flight", "16,64");
        defaults.put("locked", "row,key");
        defaults.put("rounds", "3");
        defaults.put("seconds", "20");
        defaults.put("locked-seconds", "20");
        defaults.put("warmup-seconds", "20");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            Ends ends = new Ends();
            try (SagaEngine engine = SagaEngine.builder()
                    .store(JdbcSagaStore.create(pool, transactions))
                    .transactions(transactions)
                    .listener(ends)
                    .build()) {
                engine.register(Order.definition(this::pay));
                engine.start();
                boolean met = true;
                for (String inFlight : settings.list("in-flight")) {
                    Rounds rounds = new Rounds(settings, server, report, engine, transactions);
                    try (OrderLoad load = new OrderLoad(engine.client(), ends, Integer.parseInt(inFlight))) {
                        rounds.run(load, inFlight);
                    }
                    met &= rounds.summary(inFlight);
                }
                return met;
            }
        }
    }

    private void pay(Order order) {
        Gate gate = gates.remove(order.reference());
        if (gate != null) {
            gate.pass();
        }
    }

    private final class Rounds {
        private final Settings settings;
        private final Server server;
        private final Report report;
        private final SagaEngine engine;
        private final JdbcTransactions transactions;
        private final Map<String, Window> all = new LinkedHashMap<>();

        private Rounds(
                Settings settings, Server server, Report report, SagaEngine engine, JdbcTransactions transactions) {
            this.settings = settings;
            this.server = server;
            this.report = report;
            this.engine = engine;
            this.transactions = transactions;
        }

        private void run(OrderLoad load, String inFlight) throws Exception {
            load.measure(settings.seconds("warmup-seconds"));
            report.line("%d in flight".replace("%d", inFlight));
            report.line("%5s %-9s %s %5s", "round", "locked", Window.header(), "load");
            for (int round = 1; round <= settings.number("rounds"); round++) {
                for (String locked : settings.list("locked")) {
                    measure(load, round, BASELINE);
                    measure(load, round, locked);
                }
            }
            measure(load, settings.number("rounds"), BASELINE);
        }

        private void measure(OrderLoad load, int round, String locked) throws Exception {
            Window window;
            try (Blocked blocked = blocked(locked)) {
                window = load.measure(settings.seconds(locked.equals(BASELINE) ? "seconds" : "locked-seconds"));
            }
            report.line("%5d %-9s %s %5s", round, locked, window, Report.load());
            all.merge(locked, window, Window::and);
        }

        private Blocked blocked(String what) throws Exception {
            return switch (what) {
                case BASELINE -> Blocked.nothing();
                case "row" -> Blocked.row(server, engine.client(), gates);
                case "key" -> Blocked.key(server, engine.client(), transactions);
                case "both" -> blocked("row").and(blocked("key"));
                default -> throw new IllegalArgumentException(what + " is none of row, key, both");
            };
        }

        private boolean summary(String inFlight) {
            boolean met = true;
            report.line("%s in flight, all rounds", inFlight);
            report.line("%5s %-9s %s %9s %9s %s", "", "locked", Window.header(), "p50 ratio", "p99 ratio", "bar < 2");
            Window base = all.getOrDefault(BASELINE, Window.empty());
            for (Map.Entry<String, Window> entry : all.entrySet()) {
                double ratio = entry.getValue().millis(99) / base.millis(99);
                boolean fine = ratio < BAR && entry.getValue().oldestOpen().toSeconds() < 2;
                met &= fine;
                report.line(
                        "%5s %-9s %s %9.2f %9.2f %s",
                        "",
                        entry.getKey(),
                        entry.getValue(),
                        entry.getValue().millis(50) / base.millis(50),
                        ratio,
                        fine ? "met" : "MISSED");
            }
            report.line("");
            return met;
        }
    }
}
