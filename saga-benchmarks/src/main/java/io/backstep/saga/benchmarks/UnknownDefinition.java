package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.RegisteredDefinition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What a claim costs while very many due sagas are of a definition that no node knows. Bar: the median of a claim is less than a
 * millisecond, whether it finds something or not, with statistics or without, with plans of before or new ones.
 */
final class UnknownDefinition implements Scenario {
    private static final int KNOWN_SAGAS = 100;
    private static final int LIMIT = 50;
    private static final double BAR_MILLIS = 1;

    private static final String FILL = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select gen_random_uuid(), ?, ?, ? || n, repeat('0', 64), 'RUNNING', '{}', repeat('x', 200), 1,
                0, 0, null, clock_timestamp() - n * interval '1 millisecond', null, clock_timestamp(), clock_timestamp()
              from generate_series(1, ?) n
            """;

    private static final String MAKE_DUE = """
            update saga_instance set owner = null, due_at = clock_timestamp() - interval '1 second'
              where business_key like 'known-%' and saga_id in (
                select saga_id from saga_instance where type_id = any(?) and business_key = any(?))
            """;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("unknown", "1000000");
        defaults.put("known-definitions", "3");
        defaults.put("due", "5");
        defaults.put("calls", "3000");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource old = server.pool()) {
            SagaSchema.migrate(old);
            server.execute("create table one_row as select 1 as n");
            Claims before = new Claims(settings, server, report, old);
            before.register();
            report.line(
                    "%-34s %-6s %7s %9s %9s %9s %s",
                    "claims", "finds", "calls", "median ms", "p99 ms", "max ms", "bar");
            boolean met = before.measure("without unknown sagas", true);
            before.fill("unknown", settings.number("unknown"));
            met &= before.measure("not analyzed, plans of before", false);
            try (HikariDataSource fresh = server.pool()) {
                met &= before.on(fresh).measure("not analyzed, new connections", false);
            }
            server.execute("analyze");
            met &= before.measure("analyzed, plans of before", false);
            try (HikariDataSource fresh = server.pool()) {
                met &= before.on(fresh).measure("analyzed, new connections", false);
            }
            return met;
        }
    }

    private static final class Claims {
        private final Settings settings;
        private final Server server;
        private final Report report;
        private final JdbcSagaStore store;
        private List<RegisteredDefinition> known = List.of();
        private final HikariDataSource pool;

        private Claims(Settings settings, Server server, Report report, HikariDataSource pool) {
            this.settings = settings;
            this.server = server;
            this.report = report;
            this.pool = pool;
            this.store = JdbcSagaStore.create(pool, new JdbcTransactions(pool));
        }

        private Claims on(HikariDataSource other) {
            Claims same = new Claims(settings, server, report, other);
            same.known = known;
            return same;
        }

        private void register() throws SQLException {
            known = IntStream.range(0, settings.number("known-definitions"))
                    .mapToObj(i -> store.register("known-" + i, 1, "benchmark"))
                    .toList();
            for (RegisteredDefinition definition : known) {
                fill(definition, "known-", KNOWN_SAGAS);
            }
        }

        private void fill(String name, int count) throws SQLException {
            long from = System.nanoTime();
            fill(store.register(name, 1, "benchmark"), "unknown-", count);
            report.line("  inserted %d due sagas of an unknown definition in %d s", count, seconds(from));
        }

        private static long seconds(long from) {
            return Duration.ofNanos(System.nanoTime() - from).toSeconds();
        }

        private void fill(RegisteredDefinition definition, String key, int count) throws SQLException {
            try (Connection connection = pool.getConnection();
                    PreparedStatement insert = connection.prepareStatement(FILL)) {
                insert.setInt(1, definition.definitionId());
                insert.setInt(2, definition.typeId());
                insert.setString(3, key);
                insert.setInt(4, count);
                insert.executeUpdate();
            }
        }

        private boolean measure(String what, boolean warmUp) throws SQLException {
            drain();
            if (warmUp) {
                claims(0);
                claims(settings.number("due"));
            }
            boolean met = true;
            for (int due : List.of(0, settings.number("due"))) {
                Histogram micros = claims(due);
                boolean fine = micros.getValueAtPercentile(50) / 1000.0 < BAR_MILLIS;
                met &= fine;
                report.line(
                        "%-34s %-6d %7d %9.3f %9.3f %9.1f %s",
                        what,
                        due,
                        micros.getTotalCount(),
                        micros.getValueAtPercentile(50) / 1000.0,
                        micros.getValueAtPercentile(99) / 1000.0,
                        micros.getMaxValue() / 1000.0,
                        fine ? "met" : "MISSED");
            }
            Histogram commits = commits();
            report.line(
                    "  a commit of one row alone: median %.3f ms, p99 %.3f ms",
                    commits.getValueAtPercentile(50) / 1000.0, commits.getValueAtPercentile(99) / 1000.0);
            report.line("  load average %s; %s", Report.load(), server.value("""
                    select 'analyzed ' || coalesce(greatest(last_analyze, last_autoanalyze)::timestamptz(0)::text, 'never')
                        || ', vacuumed ' || coalesce(greatest(last_vacuum, last_autovacuum)::timestamptz(0)::text, 'never')
                        || ', live ' || n_live_tup || ', dead ' || n_dead_tup
                      from pg_stat_user_tables where relname = 'saga_instance'
                    """));
            return met;
        }

        /** Claims whatever is due, for a lease that ends after everything. */
        private void drain() {
            while (claim() > 0) {
                continue;
            }
        }

        private Histogram claims(int due) throws SQLException {
            Histogram micros = new Histogram(3);
            for (int call = 0; call < settings.number("calls"); call++) {
                if (due > 0) {
                    makeDue(due, call);
                }
                long from = System.nanoTime();
                int found = claim();
                micros.recordValue((System.nanoTime() - from) / 1000);
                if (found != due) {
                    throw new IllegalStateException("claimed " + found + " instead of " + due);
                }
            }
            return micros;
        }

        /** What this disk takes for anything that lasts: part of each claim that finds something. */
        private Histogram commits() throws SQLException {
            Histogram micros = new Histogram(3);
            try (Connection connection = pool.getConnection();
                    PreparedStatement update = connection.prepareStatement("update one_row set n = n + 1")) {
                for (int call = 0; call < settings.number("calls"); call++) {
                    long from = System.nanoTime();
                    update.executeUpdate();
                    micros.recordValue((System.nanoTime() - from) / 1000);
                }
            }
            return micros;
        }

        private void makeDue(int due, int call) throws SQLException {
            Integer[] type = {known.get(call % known.size()).typeId()};
            String[] keys = IntStream.range(0, due)
                    .mapToObj(i -> "known-" + (1 + (call * due + i) % KNOWN_SAGAS))
                    .toArray(String[]::new);
            try (Connection connection = pool.getConnection();
                    PreparedStatement update = connection.prepareStatement(MAKE_DUE)) {
                update.setArray(1, connection.createArrayOf("int4", type));
                update.setArray(2, connection.createArrayOf("text", keys));
                update.executeUpdate();
            }
        }

        private int claim() {
            AtomicInteger found = new AtomicInteger();
            Lease lease = new Lease("benchmark", Duration.ofHours(10));
            ClaimRequest request = new ClaimRequest(
                    lease,
                    LIMIT,
                    known.stream().map(RegisteredDefinition::definitionId).toList());
            store.claim(request, (claimed, failure) -> {
                if (claimed == null) {
                    throw new IllegalStateException("the claim failed", failure);
                }
                found.set(claimed.size());
            });
            return found.get();
        }
    }
}
