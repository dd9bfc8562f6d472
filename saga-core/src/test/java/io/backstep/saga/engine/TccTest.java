package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.definition.TccTuningStage;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** TCC: all tries, then every confirm; or, before the decision, every cancel. */
class TccTest extends EngineFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");
    private static final Retry EVERY_SECOND = Retry.fixed(Duration.ofSeconds(1)).jitter(0);
    private static final Step<Answer> SEAT = Step.named("seat", Answer.class);

    private TestNode first;
    private TestNode second;
    private int failingTries;
    private int failingConfirms;
    private int failingCancels;
    private boolean rejectsTry;
    private boolean rejectsConfirm;

    private static String operation(StepContext<?> c) {
        return c.operationKey().substring(c.idempotencyKey().length() + 1);
    }

    private TccTuningStage<Input> seat(SagaStage<Input> saga) {
        return saga.tcc(SEAT)
                .tryAction(c -> {
                    call("try seat " + operation(c), 0);
                    return new Answer("12A");
                })
                .confirm((c, seat) -> {
                    assertThat(c.result(SEAT)).isEqualTo(seat);
                    if (rejectsConfirm) {
                        throw new StepRejectedException("GONE", "the seat is gone");
                    }
                    call("confirm seat " + seat.text() + " " + operation(c), failingConfirms);
                })
                .cancel((c, seat) ->
                        call("cancel seat " + seat.map(Answer::text).orElse("?") + " " + operation(c), failingCancels))
                .confirmRetry(EVERY_SECOND);
    }

    private TccTuningStage<Input> room(SagaStage<Input> saga) {
        return saga.tcc("room")
                .tryAction(c -> {
                    if (rejectsTry) {
                        throw new StepRejectedException("FULL", "no room");
                    }
                    call("try room", failingTries);
                })
                .confirm(c -> call("confirm room", 0))
                .cancel(c -> call("cancel room", 0));
    }

    private SagaDefinition<Input> trip() {
        return room(seat(Tcc.define(TYPE))).build();
    }

    @Test
    void all_tries_then_all_confirms() {
        SagaInstance saga = run(trip());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("try seat action", "try room", "confirm seat 12A confirm", "confirm room");
        assertThat(steps(saga)).containsEntry("seat", StepStatus.CONFIRMED).containsEntry("room", StepStatus.CONFIRMED);
        assertThat(saga.result(SEAT)).contains(new Answer("12A"));
        assertThat(history(saga.sagaId()))
                .containsExactly(
                        "seat ACTION 1 SUCCEEDED",
                        "room ACTION 1 SUCCEEDED",
                        "seat CONFIRM 1 SUCCEEDED",
                        "room CONFIRM 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @Test
    void a_rejected_try_cancels_the_others() {
        rejectsTry = true;
        SagaInstance saga = run(trip());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("try seat action", "cancel seat 12A compensation");
        assertThat(steps(saga))
                .containsEntry("seat", StepStatus.COMPENSATED)
                .containsEntry("room", StepStatus.REJECTED);
    }

    @Test
    void a_try_of_unknown_outcome_is_cancelled_too_and_first() {
        failingTries = 9;
        SagaInstance saga = run(trip());
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls)
                .containsExactly(
                        "try seat action",
                        "try room",
                        "try room",
                        "try room",
                        "cancel room",
                        "cancel seat 12A compensation");
    }

    @Test
    void a_cancel_is_retried() {
        rejectsTry = true;
        failingCancels = 3;
        SagaInstance saga = run(trip());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).filteredOn("cancel seat 12A compensation"::equals).hasSize(4);
    }

    @Test
    void a_confirm_is_retried_until_it_succeeds() {
        failingConfirms = 3;
        SagaInstance saga = run(trip());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).filteredOn("confirm seat 12A confirm"::equals).hasSize(4);
        assertThat(calls).containsOnlyOnce("confirm room");
        assertThat(history(saga.sagaId()))
                .filteredOn(line -> line.startsWith("seat CONFIRM"))
                .containsExactly(
                        "seat CONFIRM 1 FAILED",
                        "seat CONFIRM 2 FAILED",
                        "seat CONFIRM 3 FAILED",
                        "seat CONFIRM 4 SUCCEEDED");
    }

    @Test
    void by_default_a_confirm_backs_off_and_never_ends() { // F133, its half of TCC
        SagaDefinition<Input> away = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> {})
                .confirm(c -> always("confirm"))
                .cancel(c -> calls.add("cancel"))
                .build();
        TestNode node = node(away);
        UUID id = start(node);
        time.run(Duration.ofHours(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(calls).containsOnly("confirm").hasSizeBetween(15, 25);
        assertThat(detail(node, id).why()).contains("the confirm of step a, attempt ");
    }

    private static SagaDetail detail(TestNode node, UUID id) {
        return SagaAdmin.of(node.engine).find(id).orElseThrow();
    }

    @Test
    void a_node_that_dies_in_a_confirm_is_followed_by_one_that_confirms_with_the_same_key() {
        SagaDefinition<Input> saga = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> {
                    calls.add("confirm " + c.operationKey().substring(37) + " " + c.attempt());
                    if (c.epoch() == 1) {
                        throw first.killedHere();
                    }
                })
                .cancel(c -> calls.add("cancel"))
                .build();
        first = node(saga);
        second = node(saga);
        UUID id = start(first);
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("try", "confirm a:confirm 1", "confirm a:confirm 2");
        assertThat(history(id)).contains("a CONFIRM 1 TAKEN_OVER", "a CONFIRM 2 SUCCEEDED");
    }

    @Test
    void one_confirm_is_in_flight_at_any_time() { // F017
        int[] now = {0};
        SagaDefinition<Input> saga = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> {
                    assertThat(++now[0]).as("in flight").isEqualTo(1);
                    time.run(Duration.ofSeconds(60));
                    now[0]--;
                    call("confirm", 2);
                })
                .cancel(c -> calls.add("cancel"))
                .confirmTimeout(Duration.ofMinutes(5))
                .build();
        Tuning often = TestNode.tuning().withLease(Duration.ofSeconds(10), Duration.ofSeconds(5));
        first = node(often, saga);
        second = node(often, saga);
        UUID id = start(first);
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("try", "confirm", "confirm", "confirm");
    }

    @Test
    void nothing_turns_a_saga_that_is_decided() {
        CancelOutcome[] late = new CancelOutcome[1];
        SagaDefinition<Input> saga = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> {
                    assertThat(c.remaining()).as("not bound by the deadline").isEqualTo(Duration.ofMinutes(1));
                    late[0] = first.client().cancel(c.sagaId(), "not wanted");
                    assertThatThrownBy(() -> SagaAdmin.of(first.engine).compensate(c.sagaId(), ANN))
                            .hasMessageContaining("it goes only forward");
                    call("confirm", 3);
                })
                .cancel(c -> calls.add("cancel"))
                .confirmRetry(Retry.fixed(Duration.ofMinutes(1)))
                .deadline(Duration.ofSeconds(30))
                .build();
        first = node(saga);
        UUID id = start(first);
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(late).containsExactly(CancelOutcome.TOO_LATE);
        assertThat(calls).containsExactly("try", "confirm", "confirm", "confirm", "confirm");
    }

    @Test
    void a_confirm_that_is_rejected_parks_and_an_operators_retry_confirms() { // F171, its confirm
        rejectsConfirm = true;
        TestNode node = node(trip());
        UUID id = start(node);
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        SagaDetail parked = detail(node, id);
        assertThat(parked.why()).contains("a confirm, was rejected");
        assertThat(parked.allowed())
                .containsExactly(AdminAction.RETRY, AdminAction.FORCE_COMPLETE, AdminAction.RESOLVE);
        assertThat(parked.steps().get(0).status()).isEqualTo(StepStatus.CONFIRMING);
        assertThat(parked.steps().get(0).lastError()).contains("the seat is gone");
        assertThat(node.client().cancel(id, "not wanted")).isEqualTo(CancelOutcome.TOO_LATE);
        rejectsConfirm = false;
        SagaAdmin.of(node.engine).retry(id, ANN);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsOnlyOnce("confirm room").containsOnlyOnce("confirm seat 12A confirm");
    }

    @Test
    void an_operator_can_end_what_cannot_be_confirmed() {
        rejectsConfirm = true;
        TestNode node = node(trip());
        UUID id = start(node);
        end(node, id);
        SagaAdmin.of(node.engine).forceComplete(id, ANN);
        SagaInstance saga = node.client().find(id).orElseThrow();
        assertThat(saga.status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(steps(saga)).containsEntry("seat", StepStatus.UNKNOWN).containsEntry("room", StepStatus.UNKNOWN);
    }

    private SagaDefinition<Input> withPivot(boolean declined) {
        return room(seat(define())
                        .step("plain")
                        .action(c -> calls.add("plain"))
                        .compensate(c -> calls.add("undo plain")))
                .pivot("decide")
                .action(c -> {
                    calls.add("decide");
                    if (declined) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .retriable("tell")
                .after("decide")
                .action(c -> calls.add("tell"))
                .retriable("ship")
                .action(c -> calls.add("ship"))
                .bestEffort("mail")
                .action(c -> always("mail"))
                .retry(Retry.none())
                .build();
    }

    @Test
    void in_a_saga_the_pivot_decides_and_what_waits_for_a_try_waits_for_its_confirm() {
        failingConfirms = 1;
        SagaInstance saga = run(withPivot(false));
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls)
                .containsExactly(
                        "try seat action",
                        "plain",
                        "try room",
                        "decide",
                        "confirm seat 12A confirm",
                        "confirm room",
                        "tell",
                        "confirm seat 12A confirm",
                        "ship",
                        "mail");
    }

    @Test
    void a_pivot_that_is_rejected_cancels() {
        assertThat(run(withPivot(true)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls)
                .containsExactly(
                        "try seat action",
                        "plain",
                        "try room",
                        "decide",
                        "cancel room",
                        "undo plain",
                        "cancel seat 12A compensation");
    }

    @Test
    void a_stopped_node_leaves_the_confirms_to_another_at_once() {
        SagaDefinition<Input> saga = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> later(Duration.ZERO, () -> first.engine.close()))
                .confirm(c -> calls.add("confirm"))
                .cancel(c -> calls.add("cancel"))
                .build();
        first = node(saga);
        second = node(saga);
        UUID id = start(first);
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("confirm");
    }

    @Test
    void a_migration_does_not_take_the_decision_back() {
        SagaDefinition<Input> one = Tcc.define(TYPE)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> call("confirm", 1))
                .cancel(c -> calls.add("cancel"))
                .confirmRetry(Retry.fixed(Duration.ofMinutes(10)))
                .build();
        first = node(one);
        UUID id = start(first);
        time.runUntil(() -> row(id).owner() == null);
        first.engine.close();
        SagaDefinition<Input> two = Tcc.define(TYPE)
                .version(2)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> calls.add("confirm in two"))
                .cancel(c -> calls.add("cancel"))
                .step("b")
                .action(c -> calls.add("b"))
                .compensate(c -> calls.add("undo b"))
                .build();
        SagaDefinition<Input> three = Tcc.define(TYPE)
                .version(3)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> calls.add("confirm in three"))
                .cancel(c -> calls.add("cancel"))
                .bestEffort("b")
                .action(c -> calls.add("b"))
                .build();
        assertThat(foreseen(id, one, two)).contains("SAGA-MIG-006: step a is confirmed");
        assertThat(foreseen(id, one, three)).isNull();
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), one, three);
        node.engine.register(SagaMigration.of(one, three).build());
        assertThat(end(node.started(), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("try", "confirm", "confirm in three", "b");
    }

    private String foreseen(UUID id, SagaDefinition<?> one, SagaDefinition<?> other) {
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), one, other);
        node.engine.register(SagaMigration.of(one, other).build());
        String why = SagaAdmin.of(node.started().engine).foreseeMigration(id).why();
        node.engine.close();
        return why;
    }

    @Test
    void a_parent_cannot_take_back_a_child_that_was_confirmed() {
        SagaType<Input> child = SagaType.named("child", Input.class);
        SagaDefinition<Input> confirmed = Tcc.define(child)
                .tcc("a")
                .tryAction(c -> calls.add("try"))
                .confirm(c -> calls.add("confirm"))
                .cancel(c -> calls.add("cancel"))
                .build();
        SagaDefinition<Input> parent = define().step("child")
                .startSaga(child, c -> c.input())
                .step("no")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
        assertThatThrownBy(() -> node(confirmed, parent)).hasMessageContaining("SAGA-DEF-021");
        SagaDefinition<Input> explicit = define().step("child")
                .startSaga(child, c -> c.input())
                .compensate(c -> calls.add("sell"))
                .step("no")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("it was rejected")
                .build();
        first = node(confirmed, explicit);
        UUID id = start(first);
        assertThat(end(first, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("try", "confirm", "sell");
        assertThat(rows()).extracting(row -> row.name() + " " + row.status()).contains("child COMPLETED");
    }
}
