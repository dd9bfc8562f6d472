package io.backstep.saga.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Very many sagas become due at once, while some are held that stay in a step. Bars: no renewal of a lease comes late, none is lost, and
 * what is live in the heap is bounded.
 */
final class DueAtOnce implements Scenario {
    private static final int MEGABYTES = 256;
    private static final int BOUND_MEGABYTES = 64;
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final int HEAP_EVERY = 40; // pauses

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("due", "200000");
        defaults.put("staying", "4");
        defaults.put("lease-seconds", "10");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        Duration lease = settings.seconds("lease-seconds");
        Server database = server.database("due");
        List<String> flags = List.of(
                "-Xms" + MEGABYTES + "m", "-Xmx" + MEGABYTES + "m", "-D" + Backstep.LEASE + "=" + lease.toMillis());
        try (Fork fork = Fork.of(Contenders.BACKSTEP, database, flags)) {
            fork.call("open STAY");
            List<UUID> staying = ids(settings.number("staying"));
            Filling.due(database, nothingOf(Order.named("order-that-stays")), staying);
            Held held = new Held(database, staying);
            held.waitUntilInStep();
            double before = heap(fork);
            Filling.due(database, Order.named("order-that-is-due"), ids(settings.number("due")));
            long from = System.nanoTime();
            double heap = before;
            for (int i = 1; Node.open(database) > staying.size(); i++) {
                held.look();
                heap = i % HEAP_EVERY == 0 ? Math.max(heap, heap(fork)) : heap;
                TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
            }
            double seconds = (System.nanoTime() - from) / 1e9;
            held.look();
            fork.kill();
            report.line(
                    "%d due sagas ended in %.1f s, %.0f a second; %d renewals seen; load %s",
                    settings.number("due"), seconds, settings.number("due") / seconds, held.renewals, Report.load());
            double third = lease.toMillis() / 3000.0;
            boolean met = report.atMost(
                    String.format(
                            java.util.Locale.ROOT, "greatest gap between renewals in s, which are every %.2f s", third),
                    held.greatest.toMillis() / 1000.0,
                    third + 1);
            met &= report.atMost("sagas whose lease was lost", held.lost(), 0);
            report.line("live heap at rest %.1f MB", before);
            return report.atMost("greatest live heap in MB, with -Xmx" + MEGABYTES + "m", heap, BOUND_MEGABYTES) && met;
        }
    }

    private static double heap(Fork fork) throws Exception {
        return Double.parseDouble(fork.call("heap"));
    }

    private static List<UUID> ids(int count) {
        return Stream.generate(UUID::randomUUID).limit(count).toList();
    }

    /** Which stays: see {@link Kind#STAYING}. */
    private static Order nothingOf(Order order) {
        return new Order(order.reference(), order.customer(), order.sku(), 0, order.amount(), order.address());
    }

    /** The rows of those that stay, whose due time is the end of their lease. */
    private static final class Held {
        private final Server database;
        private final List<UUID> ids;
        private final Map<UUID, OffsetDateTime> ends = new LinkedHashMap<>();
        private Duration greatest = Duration.ZERO;
        private int renewals;

        Held(Server database, List<UUID> ids) {
            this.database = database;
            this.ids = ids;
        }

        void waitUntilInStep() throws Exception {
            while (look() < ids.size()) {
                TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
            }
        }

        /** Notes new ends of leases; tells how many sagas are in the step in which they stay. */
        int look() throws SQLException {
            int inStep = 0;
            try (Connection connection = database.connect();
                    PreparedStatement select = connection.prepareStatement(
                            "select saga_id, due_at, seq from saga_instance where saga_id = any(?)")) {
                select.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                ResultSet rows = select.executeQuery();
                while (rows.next()) {
                    inStep += rows.getLong(3) > 0 ? 1 : 0;
                    if (rows.getLong(3) > 0) {
                        note(rows.getObject(1, UUID.class), rows.getObject(2, OffsetDateTime.class));
                    }
                }
            }
            return inStep;
        }

        private void note(UUID id, OffsetDateTime end) {
            OffsetDateTime before = ends.put(id, end);
            if (before != null && !before.equals(end)) {
                renewals++;
                Duration gap = Duration.between(before, end);
                greatest = gap.compareTo(greatest) > 0 ? gap : greatest;
            }
        }

        /** Whoever takes one raises its epoch: the first takes it from nobody. */
        double lost() {
            return Double.parseDouble(database.value("select count(*) from saga_instance where epoch > 1"));
        }
    }
}
