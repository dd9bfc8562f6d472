package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Daylight saving begins and ends, by a clock of the database that the test sets; the nodes are in different zones. */
class ClockChangeIT {
    private static final Duration RETRY = Duration.ofSeconds(20);
    private static final Lease LEASE = new Lease("node-a/1", Duration.ofSeconds(60));

    /** Ten seconds before London's clocks go forward at 01:00Z, and before they go back. */
    private static final List<Instant> SWITCHES =
            List.of(Instant.parse("2027-03-28T00:59:50Z"), Instant.parse("2027-10-31T00:59:50Z"));

    private static volatile long h2Millis;

    private final TimeZone before = TimeZone.getDefault();
    private final List<HikariDataSource> pools = new ArrayList<>();
    private HikariDataSource admin;

    record Case(Instant begin, boolean postgres) {}

    static List<Case> cases() {
        return SWITCHES.stream()
                .flatMap(begin -> List.of(new Case(begin, true), new Case(begin, false)).stream())
                .toList();
    }

    /** The clock of H2, in the place of ours. */
    public static final class H2Clock {
        private H2Clock() {}

        /** In milliseconds. */
        public static long clock() {
            return h2Millis;
        }
    }

    @AfterEach
    void close() {
        TimeZone.setDefault(before);
        pools.forEach(HikariDataSource::close);
        admin.close();
    }

    @ParameterizedTest // F038, F039, F040
    @MethodSource("cases")
    void a_retry_is_neither_early_nor_late_and_no_lease_is_taken_over(Case at) {
        TestDatabase database = at.postgres() ? TestDatabase.postgres() : TestDatabase.h2();
        fakeClock(database, at.postgres());
        Sagas london = node(database, "Europe/London", at.postgres());
        Sagas tokyo = node(database, "Asia/Tokyo", at.postgres());
        now(at, Duration.ZERO);

        UUID retry = owned(london);
        UUID held = owned(london);
        assertThat(london.submit(List.of(released(retry)))).containsExactly(Acceptance.Kind.ACCEPTED);

        for (Sagas node : List.of(london, tokyo)) {
            assertThat(node.store.find(retry).orElseThrow().dueAt())
                    .isEqualTo(at.begin().plus(RETRY));
            assertThat(node.store.find(held).orElseThrow().dueAt())
                    .isEqualTo(at.begin().plus(LEASE.duration()));
            assertThat(node.store.find(held).orElseThrow().createdAt()).isEqualTo(at.begin());
        }
        now(at, RETRY.minusMillis(1));
        assertThat(tokyo.claim(10)).isEmpty();
        now(at, RETRY.plusMillis(1));
        assertThat(tokyo.claim(10))
                .extracting(claimed -> claimed.row().sagaId())
                .containsExactly(retry);
        now(at, LEASE.duration().minusMillis(1));
        assertThat(tokyo.claim(10)).isEmpty();
        now(at, LEASE.duration().plusMillis(1));
        assertThat(tokyo.claim(10))
                .extracting(claimed -> claimed.row().sagaId())
                .containsExactly(held);
    }

    @ParameterizedTest // F041
    @MethodSource("cases")
    void plain_sql_and_our_code_agree_to_the_microsecond(Case at) {
        TestDatabase database = at.postgres() ? TestDatabase.postgres() : TestDatabase.h2();
        fakeClock(database, at.postgres());
        Sagas london = node(database, "Europe/London", at.postgres());
        now(at, Duration.ZERO);
        UUID id = owned(london);

        Instant due = london.store.find(id).orElseThrow().dueAt();

        assertThat(TestDatabase.strings(
                        admin, "select cast(extract(epoch from due_at) * 1000000 as bigint) from saga_instance"))
                .containsExactly(String.valueOf(due.getEpochSecond() * 1_000_000 + due.getNano() / 1000));
    }

    private static UUID owned(Sagas node) {
        var saga = node.saga(null, LEASE);
        node.insert(List.of(saga));
        return saga.sagaId();
    }

    private static Mutation released(UUID id) {
        return new Mutation(
                new Fence(id, 1, 0), SagaStatus.RUNNING, null, "{}", Hold.release(RETRY), List.of(), List.of());
    }

    private void fakeClock(TestDatabase database, boolean postgres) {
        admin = database.pool();
        SagaSchema.migrate(admin);
        if (postgres) {
            execute(
                    "create schema fake",
                    "create table fake.present (at timestamptz)",
                    "insert into fake.present values (null)",
                    "create function fake.clock_timestamp() returns timestamptz language sql volatile"
                            + " as 'select at from fake.present'",
                    "create function fake.statement_timestamp() returns timestamptz language sql stable"
                            + " as 'select at from fake.present'");
        } else {
            execute("drop alias saga_clock", "create alias saga_clock for '" + H2Clock.class.getName() + ".clock'");
        }
    }

    private void execute(String... statements) {
        for (String statement : statements) {
            TestDatabase.execute(admin, statement);
        }
    }

    /** A node, whose sessions have its zone; on PostgreSQL they find the test's clock before the server's. */
    private Sagas node(TestDatabase database, String zone, boolean postgres) {
        return inZone(zone, () -> {
            HikariDataSource pool = database.pool(config -> {
                config.setMinimumIdle(2);
                config.setMaximumPoolSize(2);
                if (postgres) {
                    config.addDataSourceProperty("options", "-c search_path=fake,public,pg_catalog");
                }
            });
            pools.add(pool);
            return new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
        });
    }

    private static <T> T inZone(String zone, Supplier<T> what) {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        try {
            return what.get();
        } finally {
            TimeZone.setDefault(before);
        }
    }

    private void now(Case at, Duration later) {
        Instant now = at.begin().plus(later);
        h2Millis = now.toEpochMilli();
        if (at.postgres()) {
            execute("update fake.present set at = timestamptz '" + now + "'");
        }
    }
}
