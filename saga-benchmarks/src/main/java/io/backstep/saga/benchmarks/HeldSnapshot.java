package io.backstep.saga.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a transaction costs that somebody leaves open for minutes, at REPEATABLE READ: nothing that has changed since can be cleaned up.
 * Bar: at no time less than 60 % of the sagas a second of before.
 */
final class HeldSnapshot implements Scenario {
    private static final double BAR = 0.6;

    /** As a claim looks for what is due. */
    private static final String LOOK = """
            set enable_seqscan = off; set enable_bitmapscan = off;
            select count(*) from (select from saga_instance
              where definition_id = (select min(id) from saga_definition) and due_at <= statement_timestamp()
              order by due_at limit 50) due
            """;

    private static final String SIZE =
            "select pg_size_pretty(pg_total_relation_size('saga_instance')) || ', due index '"
                    + " || pg_size_pretty(pg_relation_size('saga_instance_due_at'))";

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("in-flight", "256");
        defaults.put("minutes", "10");
        defaults.put("seconds", "20");
        defaults.put("windows-without", "3");
        defaults.put("warmup-seconds", "20");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        Server database = server.database("held");
        try (Nodes node = Nodes.of(Contenders.BACKSTEP, database, 1)) {
            Fork fork = node.forks().get(0);
            fork.call("load W1:" + settings.text("in-flight") + " "
                    + settings.seconds("warmup-seconds").toMillis());
            Windows windows = new Windows(database, fork, settings.seconds("seconds"), report);
            windows.header();
            List<Sample> before = windows.of("without", settings.number("windows-without"));
            List<Sample> held;
            try (Connection snapshot = held(database)) {
                double seconds = 60 * Double.parseDouble(settings.text("minutes"));
                held = windows.of("held", (int) Math.ceil(seconds / Double.parseDouble(settings.text("seconds"))));
                snapshot.rollback();
            }
            windows.of("after", settings.number("windows-without"));
            fork.call("end");
            double free = Results.median(before, Sample::sagasPerSecond);
            double least =
                    held.stream().mapToDouble(Sample::sagasPerSecond).min().orElseThrow();
            report.line("median while held, times without: %.2f", Results.median(held, Sample::sagasPerSecond) / free);
            return report.atLeast("slowest window while held, times without", least / free, BAR);
        }
    }

    private static Connection held(Server database) throws SQLException {
        Connection connection = database.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("select count(*) from saga_definition");
        }
        return connection;
    }

    private record Windows(Server database, Fork fork, Duration length, Report report) {
        void header() {
            report.line(
                    "%-8s %7s %9s %8s %8s %8s %12s %12s %8s %s",
                    "snapshot",
                    "seconds",
                    "sagas/s",
                    "p50 ms",
                    "p99 ms",
                    "max ms",
                    "JVM ms/saga",
                    "PG ms/saga",
                    "look ms",
                    "instances");
        }

        List<Sample> of(String snapshot, int count) throws Exception {
            List<Sample> samples = new ArrayList<>();
            long begun = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Sample sample = fork.sample("measure " + length.toMillis());
                samples.add(sample);
                long from = System.nanoTime();
                database.execute(LOOK);
                double look = (System.nanoTime() - from) / 1e6;
                report.line(
                        "%s",
                        String.format(
                                Locale.ROOT,
                                "%-8s %7d %9.0f %8.2f %8.2f %8.0f %12.3f %12.3f %8.1f %s",
                                snapshot,
                                Duration.ofNanos(System.nanoTime() - begun).toSeconds(),
                                sample.sagasPerSecond(),
                                sample.p50Millis(),
                                sample.p99Millis(),
                                sample.maxMillis(),
                                sample.jvmCpuMillis(),
                                sample.serverCpuMillis(),
                                look,
                                database.value(SIZE)));
            }
            return samples;
        }
    }
}
