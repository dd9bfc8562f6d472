package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.jdbc.Nodes.Node;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Parent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Branches, conditions, children, probes, waits and settlements, run by engines on real databases. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ToolboxIT {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int BRANCHES = 10;

    private final List<Nodes> databases = Nodes.all();
    private final List<String> calls = new CopyOnWriteArrayList<>();

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

    /** The history as "step phase outcome". */
    private static List<String> history(Node node, UUID id) {
        return node.store().history(id).stream()
                .map(line -> line.entry().step() + " " + line.entry().phase() + " "
                        + line.entry().outcome())
                .toList();
    }

    // --- branches and a condition

    private static final SagaType<String> BRANCHED = SagaType.named("branched", String.class);
    private static final Step<Integer> JOIN = Step.named("join", Integer.class);

    /** Ten branches that end when all have been called, beside one that is skipped; the join says no when the input does. */
    private SagaDefinition<String> branched() {
        CyclicBarrier together = new CyclicBarrier(BRANCHES);
        SagaStage<String> saga = Saga.define(BRANCHED);
        List<Step<Integer>> branches = new ArrayList<>();
        for (int i = 0; i < BRANCHES; i++) {
            int number = i;
            Step<Integer> branch = Step.named("b" + i, Integer.class);
            branches.add(branch);
            saga = saga.step(branch)
                    .afterStart()
                    .action(c -> {
                        calls.add(c.stepName());
                        together.await(1, TimeUnit.MINUTES);
                        return number;
                    })
                    .compensate((c, result) -> calls.add("undo b" + result.orElseThrow()));
        }
        return saga.step("left-out")
                .afterStart()
                .onlyIf(c -> false)
                .action(c -> calls.add("left out"))
                .compensate(c -> calls.add("undo left out"))
                .step(JOIN)
                .action(c -> {
                    calls.add("join");
                    if (c.input().equals("no")) {
                        throw new StepRejectedException("NO", "no");
                    }
                    return branches.stream().mapToInt(c::result).sum();
                })
                .compensate((c, sum) -> calls.add("undo join"))
                .build();
    }

    private static String[] each(String before) {
        return IntStream.range(0, BRANCHES).mapToObj(i -> before + i).toArray(String[]::new);
    }

    @ParameterizedTest
    @FieldSource("databases")
    void ten_branches_that_end_at_one_moment_are_called_once_each_joined_once_and_undone_once_each(Nodes on) {
        Node node = on.node(Nodes.QUICK.withWorkerThreads(BRANCHES + 2), transactions -> branched());
        for (int round = 0; round < 10; round++) {
            calls.clear();
            boolean turns = round % 2 == 1;
            UUID id = node.client().start(BRANCHED, turns ? "no" : "yes").sagaId();

            SagaInstance saga = node.client().await(id, LONG);

            assertThat(calls.subList(0, BRANCHES)).containsExactlyInAnyOrder(each("b"));
            assertThat(calls.get(BRANCHES)).isEqualTo("join");
            assertThat(calls.subList(BRANCHES + 1, calls.size()))
                    .containsExactlyInAnyOrder(turns ? each("undo b") : new String[0]);
            assertThat(saga.status()).isEqualTo(turns ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
            assertThat(saga.result(JOIN)).isEqualTo(turns ? Optional.empty() : Optional.of(45));
            assertThat(saga.steps().get(BRANCHES).status()).isEqualTo(StepStatus.SKIPPED);
            assertThat(history(node, id))
                    .doesNotHaveDuplicates()
                    .hasSize(turns ? 2 * BRANCHES + 4 : BRANCHES + 3)
                    .contains("left-out CONDITION SKIPPED");
        }
    }

    // --- a child

    private static final SagaType<String> PARENT = SagaType.named("parent", String.class);
    private static final SagaType<String> CHILD = SagaType.named("child", String.class);
    private static final Step<String> OUTPUT = Step.named("output", String.class);
    private static final Step<String> SHIP = Step.named("ship", String.class);

    private final AtomicReference<UUID> child = new AtomicReference<>();

    private SagaDefinition<String> child() {
        return Saga.define(CHILD)
                .step(OUTPUT)
                .action(c -> {
                    child.set(c.sagaId());
                    calls.add("child");
                    return "out of " + c.input();
                })
                .compensate((c, output) -> calls.add("undo child " + output.orElseThrow()))
                .build();
    }

    private SagaDefinition<String> parent() {
        return Saga.define(PARENT)
                .step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step(SHIP)
                .startSaga(CHILD, c -> c.input(), OUTPUT)
                .step("last")
                .action(c -> {
                    calls.add("last " + c.result(SHIP));
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo last"))
                .build();
    }

    private Node family(Nodes on) {
        Node node = on.notStarted(Nodes.QUICK, parent());
        node.engine().register(child());
        node.engine().start();
        return node;
    }

    @ParameterizedTest
    @FieldSource("databases")
    void a_child_that_has_completed_is_undone_with_its_parent_before_anything_else(Nodes on) {
        Node node = family(on);
        family(on);
        UUID id = node.client().start(PARENT, "in").sagaId();

        SagaInstance saga = node.client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "child", "last out of in", "undo child out of in", "undo one");
        InstanceRow undone =
                node.store().find(Objects.requireNonNull(child.get())).orElseThrow();
        assertThat(undone.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(undone.reason()).isEqualTo(SagaReason.PARENT);
        assertThat(undone.parent()).isEqualTo(new Parent(id, "ship", "output"));
        assertThat(on.count("select count(*) from saga_instance where parent_id = ?", on.parameter(id)))
                .isEqualTo(1);
        assertThat(history(node, undone.sagaId()))
                .containsExactly(
                        "output ACTION SUCCEEDED",
                        " SAGA ENDED",
                        " SAGA TURNED",
                        "output COMPENSATION SUCCEEDED",
                        " SAGA ENDED");
    }

    // --- a probe

    private static final SagaType<String> DOUBTED = SagaType.named("doubted", String.class);
    private static final Step<String> PAY = Step.named("pay", String.class);

    @ParameterizedTest
    @FieldSource("databases")
    void when_a_node_is_lost_in_a_call_the_probe_is_asked_and_the_call_is_not_repeated(Nodes on) {
        AtomicReference<Node> lost = new AtomicReference<>();
        SagaDefinition<String> definition = Saga.define(DOUBTED)
                .step(PAY)
                .action(c -> {
                    calls.add("pay " + c.attempt());
                    Objects.requireNonNull(lost.get()).kill();
                    on.execute("update saga_instance set due_at = created_at where owner is not null");
                    return "told to nobody";
                })
                .probe(c -> {
                    calls.add("asked " + c.attempt());
                    return Optional.of("found");
                })
                .compensate((c, paid) -> calls.add("undo pay"))
                .build();
        lost.set(on.node(definition));
        UUID id =
                Objects.requireNonNull(lost.get()).client().start(DOUBTED, "in").sagaId();
        await().atMost(LONG).until(() -> calls.size() == 1);

        Node other = on.node(definition);
        SagaInstance saga = other.client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.result(PAY)).contains("found");
        assertThat(calls).containsExactly("pay 1", "asked 1");
        assertThat(history(other, id)).containsExactly("pay ACTION TAKEN_OVER", "pay PROBE SUCCEEDED", " SAGA ENDED");
    }

    // --- waits

    private static final SagaType<String> WAITING = SagaType.named("waiting", String.class);
    private static final Step<String> TOLD = Step.named("told", String.class);

    private SagaDefinition<String> waiting(int version, Duration patience) {
        return Saga.define(WAITING)
                .version(version)
                .step("ask")
                .action(c -> calls.add("ask"))
                .compensate(c -> calls.add("undo ask"))
                .awaitSignal(TOLD, patience)
                .delay("pause", Duration.ofMillis(50))
                .step("use")
                .action(c -> calls.add("use " + c.result(TOLD)))
                .compensate(c -> calls.add("undo use"))
                .build();
    }

    @ParameterizedTest
    @FieldSource("databases")
    void who_waits_holds_nothing_and_goes_on_when_it_is_told_on_another_node(Nodes on) throws Exception {
        SagaDefinition<String> definition = waiting(1, Duration.ofHours(1));
        Node node = on.node(definition);
        Node other = on.node(definition);
        UUID id = node.client().start(definition, "in").sagaId();
        await().atMost(LONG).until(() -> {
            InstanceRow row = node.store().find(id).orElseThrow();
            return row.owner() == null && row.steps().contains("WAITING");
        });

        SignalOutcome told =
                other.transactions().inTransaction(() -> other.client().signal(id, TOLD, "the answer", "m1"));
        SignalOutcome again = other.client().signal(id, TOLD, "another", "m1");
        SagaInstance saga = node.client().await(id, LONG);

        assertThat(told).isEqualTo(SignalOutcome.ACCEPTED);
        assertThat(again).isIn(SignalOutcome.DUPLICATE, SignalOutcome.TOO_LATE);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("ask", "use the answer");
        assertThat(node.client().signal(id, TOLD, "late", "m2")).isEqualTo(SignalOutcome.TOO_LATE);
    }

    @ParameterizedTest
    @FieldSource("databases")
    void who_is_told_nothing_in_time_turns(Nodes on) {
        SagaDefinition<String> definition = waiting(2, Duration.ofMillis(200));
        Node node = on.node(definition);
        UUID id = node.client().start(definition, "in").sagaId();

        SagaInstance saga = node.client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.UNANSWERED);
        assertThat(calls).containsExactly("ask", "undo ask");
    }

    // --- a compensation that is settled later, and one that a person settles

    private static final SagaType<String> REFUNDED = SagaType.named("refunded", String.class);
    private static final Step<String> SETTLED = Step.named("settled", String.class);
    private static final AdminRequest ANN = AdminRequest.by("ann", "the bank says so");

    private SagaDefinition<String> refunded() {
        return Saga.define(REFUNDED)
                .step(PAY)
                .action(c -> {
                    calls.add("pay");
                    return "paid";
                })
                .compensate((c, paid) -> calls.add("ask for the refund"))
                .compensationAwaits(SETTLED, Duration.ofDays(7))
                .step("ship")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
    }

    private UUID unsettled(Node node) {
        UUID id = node.client().start(REFUNDED, "in").sagaId();
        await().atMost(LONG).until(() -> {
            InstanceRow row = node.store().find(id).orElseThrow();
            return row.owner() == null && row.steps().contains("COMPENSATING");
        });
        return id;
    }

    @ParameterizedTest
    @FieldSource("databases")
    void a_refund_that_was_asked_for_is_settled_by_a_signal_on_another_node(Nodes on) throws Exception {
        SagaDefinition<String> definition = refunded();
        Node node = on.node(definition);
        UUID id = unsettled(node);
        node.kill();
        Node other = on.node(definition);

        SignalOutcome told =
                other.transactions().inTransaction(() -> other.client().signal(id, SETTLED, "r-1", "m1"));
        SagaInstance saga = other.client().await(id, LONG);

        assertThat(told).isEqualTo(SignalOutcome.ACCEPTED);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("pay", "ask for the refund");
        assertThat(history(other, id)).containsSubsequence("pay COMPENSATION SUCCEEDED", "pay SETTLEMENT SUCCEEDED");
        assertThat(other.store().compensations(id).get(0).entry().response()).isEqualTo("\"r-1\"");
    }

    @ParameterizedTest
    @FieldSource("databases")
    void a_refund_that_a_person_has_seen_is_settled_by_hand(Nodes on) {
        Node node = on.node(refunded());
        UUID id = unsettled(node);

        SagaAdmin.of(node.engine()).resolve(id, "pay", Resolution.COMPENSATED, null, ANN);

        assertThat(node.store().find(id).orElseThrow().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(node.store().audit(new AuditQuery(id, null, null, 10)))
                .singleElement()
                .satisfies(row -> assertThat(row.entry().after()).isEqualTo("COMPENSATED (REJECTED), pay COMPENSATED"));
        assertThat(node.client().signal(id, SETTLED, "r-1", "m1")).isEqualTo(SignalOutcome.TOO_LATE);
    }
}
