package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Step;
import io.backstep.saga.jdbc.JdbcGuardStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a guard costs: a business transaction of three statements, bare, guarded, and guarded with a result of about 100 bytes, by turns. Bar: a
 * guarded one takes less than 1.5 times as long as a bare one, alone and with eight clients.
 */
final class GuardOverhead implements Scenario {
    private static final double BAR = 1.5;
    private static final int SKUS = 10_000;

    /**
     * A result.
     *
     * @param reservation which one
     * @param sku of what
     * @param quantity how many
     * @param warehouse from where
     */
    record Reserved(UUID reservation, int sku, int quantity, String warehouse) {}

    private enum Kind {
        BARE,
        GUARDED,
        WITH_RESULT
    }

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("rounds", "5");
        defaults.put("clients", "1,8");
        defaults.put("warmup-seconds", "5");
        defaults.put("seconds", "4");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        try (HikariDataSource pool = server.pool()) {
            SagaSchema.migrate(pool);
            server.execute("create table stock (sku int primary key, available bigint not null)");
            server.execute("create table reservation (id uuid primary key, sku int not null, quantity int not null)");
            server.execute("create table ledger (id bigint generated always as identity primary key, text text)");
            server.execute("insert into stock select n, 1000000000 from generate_series(0, " + (SKUS - 1) + ") n");
            Participant participant = new Participant(pool);
            for (Kind kind : Kind.values()) {
                window(participant, kind, 8, settings.seconds("warmup-seconds"));
            }
            boolean met = true;
            for (String clients : settings.list("clients")) {
                met &= compare(participant, Integer.parseInt(clients), settings, report);
            }
            return met;
        }
    }

    private static boolean compare(Participant participant, int clients, Settings settings, Report report)
            throws Exception {
        double[] micros = new double[Kind.values().length];
        int rounds = settings.number("rounds");
        report.line("%5s %7s %12s %12s", "round", "clients", "kind", "us each");
        for (int round = 1; round <= rounds; round++) {
            for (int turn = 0; turn < micros.length; turn++) {
                Kind kind = Kind.values()[(turn + round) % micros.length];
                double each = window(participant, kind, clients, settings.seconds("seconds"));
                micros[kind.ordinal()] += each / rounds;
                report.line("%5d %7d %12s %12.1f", round, clients, kind, each);
            }
        }
        double bare = micros[Kind.BARE.ordinal()];
        boolean met = report.atMost(clients + " clients, guarded / bare", micros[Kind.GUARDED.ordinal()] / bare, BAR);
        return report.atMost(
                        clients + " clients, guarded with a result / bare",
                        micros[Kind.WITH_RESULT.ordinal()] / bare,
                        BAR)
                & met;
    }

    /** How long one takes, of so many clients at once. */
    private static double window(Participant participant, Kind kind, int clients, Duration duration) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        try {
            long end = System.nanoTime() + duration.toNanos();
            List<Future<Double>> running = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                running.add(pool.submit(() -> oneByOne(participant, kind, end)));
            }
            double sum = 0;
            for (Future<Double> each : running) {
                sum += each.get();
            }
            return sum / clients;
        } finally {
            pool.shutdownNow();
        }
    }

    private static double oneByOne(Participant participant, Kind kind, long end) throws Exception {
        long begin = System.nanoTime();
        int count = 0;
        while (count == 0 || System.nanoTime() < end) {
            participant.run(kind);
            count++;
        }
        return (System.nanoTime() - begin) / 1e3 / count;
    }

    private static final class Participant {
        private final JdbcTransactions transactions;
        private final VoidParticipantGuard plain;
        private final ParticipantGuard<Reserved> withResult;

        Participant(HikariDataSource pool) {
            this.transactions = new JdbcTransactions(pool);
            ParticipantGuards guards = new ParticipantGuards(JdbcGuardStore.create(pool, transactions), transactions);
            this.plain = guards.guard("reserve");
            this.withResult = guards.guard(Step.named("reserve-with-result", Reserved.class));
        }

        void run(Kind kind) throws Exception {
            UUID id = UUID.randomUUID();
            Callable<Reserved> reserve = () -> reserve(id);
            switch (kind) {
                case BARE -> transactions.inTransaction(reserve);
                case GUARDED -> plain.action(id + ":reserve", reserve::call);
                case WITH_RESULT -> withResult.action(id + ":reserve", reserve);
            }
        }

        private Reserved reserve(UUID id) throws SQLException {
            Connection connection = transactions.connection();
            int sku = ThreadLocalRandom.current().nextInt(SKUS);
            execute(connection, "update stock set available = available - ? where sku = ? and available >= 1", 1, sku);
            execute(connection, "insert into reservation values (?, ?, ?)", id, sku, 1);
            execute(connection, "insert into ledger (text) values (?)", "reserved 1 of " + sku);
            return new Reserved(id, sku, 1, "warehouse of the north");
        }

        private static void execute(Connection connection, String sql, Object... values) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.executeUpdate();
            }
        }
    }
}
