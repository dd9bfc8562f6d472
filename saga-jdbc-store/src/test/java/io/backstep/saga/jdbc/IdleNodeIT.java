package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaType;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.time.Timer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node with the default settings asks of PostgreSQL in ten minutes without work. The time is made up; the queries are not. */
class IdleNodeIT {
    private static final Duration TIME = Duration.ofMinutes(10);
    private static final Set<String> ROUND_TRIPS = Set.of("prepareStatement", "createStatement", "isValid");

    /** Runs on one thread, as fast as it can. */
    private static final class MadeUpTime implements Timer {
        private record Event(long at, Runnable task, boolean[] cancelled) {}

        private final PriorityQueue<Event> events = new PriorityQueue<>((one, other) -> Long.compare(one.at, other.at));
        private long now;

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            Event event = new Event(now + delay.toNanos(), task, new boolean[1]);
            events.add(event);
            return () -> event.cancelled[0] = true;
        }

        void pass(Duration time) {
            long end = now + time.toNanos();
            while (!events.isEmpty() && events.peek().at <= end) {
                Event next = events.remove();
                now = next.at;
                if (!next.cancelled[0]) {
                    next.task.run();
                }
            }
            now = end;
        }
    }

    private final TestDatabase database = TestDatabase.postgres();
    private final List<String> asked = new ArrayList<>();

    /** One connection that stays open, as a pool's do. */
    private DataSource kept(Connection connection) {
        var always = new org.postgresql.ds.PGSimpleDataSource() {
            private static final long serialVersionUID = 1L;

            @Override
            public Connection getConnection() {
                return connection;
            }
        };
        return Watched.wrap(always, borrowed -> {}, (borrowed, method, arguments) -> {
            if (ROUND_TRIPS.contains(method.getName())) {
                asked.add(arguments == null || !(arguments[0] instanceof String text) ? method.getName() : text);
            }
            return method.getName().equals("close") ? null : Watched.call(borrowed, method, arguments);
        });
    }

    private void migrate() {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
        }
    }

    private SagaEngine engine(DataSource source, MadeUpTime time, double jitter) {
        JdbcTransactions transactions = new JdbcTransactions(source);
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(source, transactions))
                .transactions(transactions)
                .timer(time)
                .clock(() -> time.now)
                .randomness(() -> jitter)
                .executor(Runnable::run)
                .storeExecutor(Runnable::run)
                .build();
        for (int i = 0; i < 5; i++) {
            engine.register(Saga.define(SagaType.named("type-" + i, String.class))
                    .step("one")
                    .action(c -> {})
                    .noCompensation("a test")
                    .build());
        }
        return engine;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 0.999})
    void it_asks_once_per_poll_interval_and_that_is_all(double jitter) throws SQLException {
        migrate();
        MadeUpTime time = new MadeUpTime();
        try (Connection connection = database.connect()) {
            SagaEngine engine = engine(kept(connection), time, jitter);
            SagaRetention retention = SagaRetention.of(engine, RetentionPolicy.keep(Duration.ofDays(30)));
            engine.start();
            retention.start();
            time.pass(Duration.ofSeconds(5));
            asked.clear();

            time.pass(TIME);

            double perPoll = 1 / (1 + 0.2 * jitter);
            assertThat(asked)
                    .filteredOn(text -> text.contains("min(d.due_at)"))
                    .hasSizeBetween((int) (TIME.toSeconds() * perPoll) - 2, (int) (TIME.toSeconds() * perPoll) + 2);
            assertThat(asked)
                    .filteredOn(text -> !text.contains("min(d.due_at)"))
                    .as("retention, once an hour")
                    .hasSizeLessThanOrEqualTo(5);
            assertThat(asked.size()).isLessThanOrEqualTo(2 * (int) TIME.toSeconds());
            retention.close();
            engine.close();
        }
    }

    /** As the server counts: each look is one transaction, and nothing else is. */
    @Test
    void the_server_counts_one_transaction_per_look() throws SQLException {
        migrate();
        MadeUpTime time = new MadeUpTime();
        try (Connection watching = database.connect()) {
            int looks;
            long before;
            try (Connection connection = database.connect()) {
                SagaEngine engine = engine(kept(connection), time, 0);
                engine.start();
                awaitAlone(watching, 2);
                before = transactions(watching);
                asked.clear();
                time.pass(TIME);
                looks = asked.size();
            }
            awaitAlone(watching, 1);
            assertThat(looks).isEqualTo((int) TIME.toSeconds());
            assertThat(transactions(watching) - before).isBetween((long) looks, looks + looks / 5L);
        }
    }

    private static void awaitAlone(Connection watching, int sessions) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> TestDatabase.strings(
                                watching,
                                "select count(*)::text from pg_stat_activity where datname = current_database()")
                        .get(0)
                        .equals(String.valueOf(sessions)));
    }

    private static long transactions(Connection watching) throws SQLException {
        return Long.parseLong(TestDatabase.strings(
                        watching,
                        "select (xact_commit + xact_rollback)::text from pg_stat_database where datname = current_database()")
                .get(0));
    }
}
