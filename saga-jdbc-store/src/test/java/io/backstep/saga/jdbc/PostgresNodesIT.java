package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.Nodes.Node;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases, outages and deadlines as they pass in real time, with two engines on one PostgreSQL. */
class PostgresNodesIT {
    private static final SagaType<Integer> TYPE = SagaType.named("slow", Integer.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final int BACKLOG = 250;

    private final Nodes on = new Nodes("PostgreSQL", TestDatabase.postgres());
    private final AtomicInteger called = new AtomicInteger();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
        on.close();
    }

    private static Tuning tuning(String id, Duration lease) {
        return Nodes.QUICK.withNodeId(id).withLease(lease, Duration.ofMillis(20));
    }

    private Instant dueAt(Node node, UUID id) {
        return node.store().find(id).orElseThrow().dueAt();
    }

    @ParameterizedTest // F001, F003, F016, F017
    @ValueSource(booleans = {false, true})
    void who_works_for_longer_than_a_lease_is_left_alone_by_neighbours_restarts_and_operators(boolean transactional)
            throws Exception {
        SagaDefinition<Integer> definition = slow(transactional);
        Node owner = on.node(tuning("a", LEASE), transactions -> definition);
        UUID id = owner.client().start(TYPE, 1).sagaId();
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        Node neighbour = on.node(tuning("b", LEASE), transactions -> definition);
        Node namesake = on.node(tuning("a", LEASE), transactions -> definition);
        Instant first = dueAt(neighbour, id);

        await().atMost(LONG).until(() -> dueAt(neighbour, id).isAfter(first.plus(LEASE)));
        for (SagaEngine engine : List.of(neighbour.engine(), namesake.engine())) {
            SagaAdmin admin = SagaAdmin.of(engine);
            for (AdminAction action : List.of(AdminAction.RETRY, AdminAction.FORCE_COMPLETE)) {
                assertThatThrownBy(() -> admin.act(action, id, AdminRequest.by("ann", "retry all")))
                        .hasMessageStartingWith("SAGA-ADMIN-003");
            }
        }
        mayEnd.countDown();

        assertThat(owner.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(called).hasValue(1);
        assertThat(owner.store().find(id).orElseThrow().epoch()).isEqualTo(1);
        assertThat(owner.store().history(id)).allMatch(line -> line.entry().attempt() <= 1);
    }

    private SagaDefinition<Integer> slow(boolean transactional) {
        var stage = Saga.define(TYPE).step("slow");
        return (transactional ? stage.transactional() : stage)
                .action(c -> {
                    called.incrementAndGet();
                    entered.countDown();
                    mayEnd.await();
                })
                .noCompensation("a test")
                .build();
    }

    /** How many of the backlog have ended when the connections go; the last fifty cannot end before. */
    @ParameterizedTest // F002
    @ValueSource(ints = {0, 20, 150})
    void connections_that_are_gone_for_two_seconds_while_a_backlog_is_recovered_strand_nothing(int ended)
            throws Exception {
        Node dead = on.dying(
                Duration.ofMillis(100),
                Saga.define(TYPE)
                        .step("remote")
                        .action(c -> {})
                        .noCompensation("-")
                        .step("local")
                        .transactional()
                        .action(c -> {})
                        .noCompensation("-")
                        .build());
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < BACKLOG; i++) {
            ids.add(dead.client().start(TYPE, i).sagaId());
        }
        dead.kill();
        Node node = on.node(
                tuning("b", Duration.ofSeconds(2)).withWorkerThreads(64),
                transactions -> Saga.define(TYPE)
                        .step("remote")
                        .action(c -> {
                            if (called.incrementAndGet() > BACKLOG - 50) {
                                assertThat(mayEnd.await(1, TimeUnit.MINUTES)).isTrue();
                            }
                        })
                        .noCompensation("-")
                        .step("local")
                        .transactional()
                        .action(c -> TestDatabase.execute(
                                transactions.connection(),
                                "insert into business values (?)",
                                c.sagaId().toString()))
                        .noCompensation("-")
                        .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(3))
                        .build());
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> on.count("select count(*) from saga_instance where status = 'COMPLETED'") >= ended);

        String gone = cutOff(Duration.ofSeconds(2));

        await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> on.count("select count(*) from saga_instance where status = 'COMPLETED'") == BACKLOG);
        assertThat(on.count("select count(*) from saga_instance where updated_at <= cast(? as timestamptz)", gone))
                .as("had ended when the connections went")
                .isBetween(ended, BACKLOG - 50);
        assertThat(on.count("select count(*) from business")).isEqualTo(BACKLOG);
        assertThat(on.count("select count(*) from saga_step_history where outcome = 'SUCCEEDED'"))
                .isEqualTo(2 * BACKLOG);
        assertThat(called.get()).isGreaterThanOrEqualTo(BACKLOG);
        await().atMost(LONG).until(() -> node.engine().status().storeReachable());
    }

    /** Nobody gets in, and whoever is in is thrown out. Returns when the first was. */
    private String cutOff(Duration time) throws SQLException {
        String url = on.database.url();
        String name = url.replaceAll(".*/", "");
        long end = System.nanoTime() + time.toNanos();
        try (Connection admin = DriverManager.getConnection(
                url.replaceAll("/[^/]*$", "/postgres"), on.database.user(), on.database.password())) {
            TestDatabase.execute(admin, "alter database " + name + " allow_connections false");
            assertThat(throwOut(admin, name)).isNotEmpty();
            String gone = TestDatabase.strings(admin, "select clock_timestamp()::text")
                    .get(0);
            mayEnd.countDown();
            await().atMost(LONG).until(() -> {
                throwOut(admin, name);
                return System.nanoTime() >= end;
            });
            TestDatabase.execute(admin, "alter database " + name + " allow_connections true");
            return gone;
        }
    }

    private static List<String> throwOut(Connection admin, String database) throws SQLException {
        return TestDatabase.strings(
                admin, "select pg_terminate_backend(pid)::text from pg_stat_activity where datname = ?", database);
    }

    @Test // F019
    void a_last_step_that_ends_about_the_deadline_gives_an_end_or_an_undo_but_never_a_mixture() throws Exception {
        Set<String> done = ConcurrentHashMap.newKeySet();
        Set<String> undone = ConcurrentHashMap.newKeySet();
        SagaDefinition<Integer> definition = Saga.define(TYPE)
                .step("one")
                .action(c -> done.add(c.idempotencyKey()))
                .compensate(c -> assertThat(undone.add(c.idempotencyKey())).isTrue())
                .step("last")
                .action(c -> {
                    long millis = Math.max(0, c.remaining().toMillis() + after(c.input()));
                    assertThat(mayEnd.await(millis, TimeUnit.MILLISECONDS)).isFalse();
                    done.add(c.idempotencyKey());
                })
                .compensate(c -> assertThat(undone.add(c.idempotencyKey())).isTrue())
                .retry(Retry.none())
                .deadline(Duration.ofSeconds(4))
                .build();
        Tuning many = Nodes.QUICK.withWorkerThreads(250);
        List<Node> nodes =
                List.of(on.node(many, transactions -> definition), on.node(many, transactions -> definition));
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ids.add(nodes.get(i % 2).client().start(TYPE, i).sagaId());
        }
        int completed = 0;
        for (UUID id : ids) {
            SagaStatus status = nodes.get(0).client().await(id, LONG).status();
            List<String> ofBoth = List.of(id + ":one", id + ":last");
            if (status == SagaStatus.COMPLETED) {
                completed++;
                assertThat(done).containsAll(ofBoth);
                assertThat(undone).doesNotContainAnyElementsOf(ofBoth);
            } else {
                assertThat(status).isEqualTo(SagaStatus.COMPENSATED);
                assertThat(undone.containsAll(ofBoth) || !done.contains(id + ":last"))
                        .isTrue();
                assertThat(undone.contains(id + ":one")).isEqualTo(done.contains(id + ":one"));
            }
        }
        assertThat(completed).as("both happen").isBetween(1, 499);
    }

    /** A quarter ends at once, a quarter well after the deadline, and the others about then. */
    private static int after(int number) {
        return switch (number % 4) {
            case 0 -> -4000;
            case 1 -> 500;
            default -> number % 31 - 25;
        };
    }
}
