package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.Nodes.Node;
import io.backstep.saga.store.InstanceRow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Duplicates and takeovers with two engines on one real database, each with threads and a pool of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TwoEnginesIT {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final StartOptions NO_KEY = StartOptions.none();

    private final List<Nodes> databases = Nodes.all();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

    @AfterEach
    void stop() throws Exception {
        for (Nodes database : databases) {
            database.stopAll();
        }
        calls.clear();
    }

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    private static SagaType<String> type(String name) {
        return SagaType.named(name, String.class);
    }

    private SagaDefinition<String> twoSteps(SagaType<String> type) {
        return Saga.define(type)
                .step("one")
                .action(c -> called(c.operationKey()))
                .noCompensation("a test")
                .step("two")
                .action(c -> called(c.operationKey()))
                .noCompensation("a test")
                .build();
    }

    private void called(String operation) {
        calls.computeIfAbsent(operation, any -> new AtomicInteger()).incrementAndGet();
    }

    private void calledOnceEach(UUID id) {
        assertThat(calls.get(id + ":one:action")).as("one of " + id).hasValue(1);
        assertThat(calls.get(id + ":two:action")).as("two of " + id).hasValue(1);
    }

    private static UUID startJoined(Node node, SagaType<String> type) {
        return inTransaction(node, () -> node.client().start(type, "in", NO_KEY).sagaId());
    }

    private static <T> T inTransaction(Node node, Callable<T> work) {
        try {
            return node.transactions().inTransaction(work);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest // F001
    @FieldSource("databases")
    void what_the_application_starts_while_its_node_begins_with_a_backlog_runs_once(Nodes on) throws Exception {
        SagaType<String> type = type("backlog");
        Node dead = on.dying(Duration.ofMillis(100), twoSteps(type));
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            ids.add(dead.client()
                    .start(type, "in", StartOptions.businessKey("k" + i))
                    .sagaId());
        }
        dead.kill();
        Node node = on.notStarted(Nodes.QUICK.withWorkerThreads(4), twoSteps(type));
        AtomicInteger left = new AtomicInteger();
        CompletableFuture<List<UUID>> application = CompletableFuture.supplyAsync(() -> {
            List<UUID> fresh = new ArrayList<>();
            fresh.add(asSoonAsItMay(() -> node.client().start(type, "in").sagaId()));
            left.set(on.count("select count(*) from saga_instance where status = 'RUNNING' and owner like 'dead%'"));
            for (int i = 0; i < 30; i++) {
                UUID known = node.client()
                        .start(type, "in", StartOptions.businessKey("k" + (249 - i)))
                        .sagaId();
                assertThat(known).isEqualTo(ids.get(249 - i));
                fresh.add(node.client().start(type, "in").sagaId());
                fresh.add(startJoined(node, type));
            }
            return fresh;
        });
        node.engine().start();
        List<UUID> fresh = application.get(1, TimeUnit.MINUTES);

        assertThat(left).as("began with a backlog").hasPositiveValue();
        for (UUID id : Stream.concat(ids.stream(), fresh.stream()).toList()) {
            assertThat(node.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            calledOnceEach(id);
        }
        for (UUID id : fresh) {
            assertThat(node.store().find(id).orElseThrow().epoch()).isEqualTo(1);
            assertThat(node.store().history(id))
                    .allMatch(
                            line -> line.entry().attempt() <= 1 && line.entry().outcome() != Outcome.TAKEN_OVER);
        }
    }

    private static UUID asSoonAsItMay(Callable<UUID> start) {
        return await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .ignoreExceptionsMatching(e -> e instanceof SagaStartException none
                        && none.getMessage().startsWith("SAGA-START-006"))
                .until(start, id -> true);
    }

    @ParameterizedTest // F011, F013
    @FieldSource("databases")
    void fifty_threads_on_two_nodes_start_one_saga_and_their_transactions_go_on(Nodes on) throws Exception {
        SagaType<String> type = type("one-key");
        List<Node> nodes = List.of(on.node(twoSteps(type)), on.node(twoSteps(type)));
        ExecutorService threads = Executors.newFixedThreadPool(50);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<UUID>> starts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Node node = nodes.get(i % 2);
            Callable<UUID> start = () -> node.client()
                    .start(type, "in", StartOptions.businessKey("the one"))
                    .sagaId();
            String business = on + " " + i;
            Callable<UUID> joined = () -> node.transactions().inTransaction(() -> {
                TestDatabase.execute(
                        node.transactions().connection(), "insert into business values (?)", "before " + business);
                UUID id = start.call();
                TestDatabase.execute(
                        node.transactions().connection(), "insert into business values (?)", "after " + business);
                return id;
            });
            Callable<UUID> one = i % 4 < 2 ? start : joined;
            starts.add(threads.submit(() -> {
                go.await();
                return one.call();
            }));
        }
        HashSet<UUID> ids = new HashSet<>();
        String logged = Logged.during(() -> {
            go.countDown();
            for (Future<UUID> start : starts) {
                ids.add(start.get(1, TimeUnit.MINUTES));
            }
            return nodes.get(0).client().await(ids.iterator().next(), LONG);
        });
        threads.shutdown();

        assertThat(ids).hasSize(1);
        calledOnceEach(ids.iterator().next());
        assertThat(on.count("select count(*) from saga_instance where business_key = 'the one'"))
                .isEqualTo(1);
        assertThat(on.count("select count(*) from business where id like 'before %'"))
                .isEqualTo(24);
        assertThat(on.count("select count(*) from business where id like 'after %'"))
                .isEqualTo(24);
        assertThat(logged).doesNotContain("ERROR");
    }

    @ParameterizedTest // F029
    @FieldSource("databases")
    void what_was_claimed_by_a_node_that_died_at_once_runs_elsewhere_when_its_lease_is_over(Nodes on) {
        SagaType<String> type = type("claimed");
        Node dead = on.dying(Duration.ofSeconds(1), twoSteps(type));
        UUID id = startJoined(dead, type);
        InstanceRow claimed =
                await().atMost(LONG).until(() -> dead.store().find(id).orElseThrow(), row -> row.owner() != null);
        dead.kill();
        assertThat(calls).isEmpty();

        Node other = on.node(twoSteps(type));
        assertThat(other.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);

        calledOnceEach(id);
        var lines = other.store().history(id);
        assertThat(lines.get(0).entry().outcome()).isEqualTo(Outcome.TAKEN_OVER);
        assertThat(lines.get(1).startedAt())
                .as("not before the time that the row has shown")
                .isAfterOrEqualTo(claimed.dueAt());
    }

    Stream<Arguments> victims() {
        return databases.stream().flatMap(on -> switch (on.product) {
            case "PostgreSQL" -> Stream.of(Arguments.of(on, "40P01", 0), Arguments.of(on, "40001", 0));
            case "MariaDB" -> Stream.of(Arguments.of(on, "40001", 1213), Arguments.of(on, "HY000", 1205));
            default -> Stream.of(Arguments.of(on, "40001", 40001));
        });
    }

    @ParameterizedTest // F022
    @MethodSource("victims")
    void when_the_write_of_a_result_is_the_victim_of_a_deadlock_the_write_alone_is_repeated(
            Nodes on, String state, int code) {
        SagaType<String> type = type("victim-" + state.toLowerCase(Locale.ROOT));
        AtomicInteger victims = new AtomicInteger(2);
        Node node = on.node(
                source -> Watched.wrap(source, borrowed -> {}, (connection, method, arguments) -> {
                    boolean result = method.getName().equals("prepareStatement")
                            && ((String) arguments[0]).contains("insert into saga_step_history");
                    if (result && victims.getAndDecrement() > 0) {
                        if (!connection.getAutoCommit()) {
                            connection.rollback(); // as the database does
                        }
                        throw new SQLException("deadlock", state, code);
                    }
                    return Watched.call(connection, method, arguments);
                }),
                twoSteps(type));

        UUID id = node.client().start(type, "in").sagaId();

        assertThat(node.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(victims.get()).as("met").isNotPositive();
        calledOnceEach(id);
        assertThat(node.store().history(id))
                .extracting(line -> line.entry().outcome())
                .containsExactly(Outcome.SUCCEEDED, Outcome.SUCCEEDED, Outcome.ENDED);
        assertThat(node.store().find(id).orElseThrow().epoch()).isEqualTo(1);
    }
}
