package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A transition in the making: the state as it is by now, and what follows from it so far. Decides nothing. */
final class Draft {
    private static final int WHOLE_SAGA = -1;

    private final Plan plan;
    private final Duration now;
    private final List<StepState> steps;
    private final List<Call> calls = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private final List<Integer> suspects = new ArrayList<>();
    private SagaStatus status;
    private @Nullable SagaReason turned;
    private @Nullable SagaReason pending;
    private @Nullable SagaReason parked;
    private @Nullable Duration deadline;

    Draft(Plan plan, SagaState state, Duration now) {
        this.plan = plan;
        this.now = now;
        this.steps = new ArrayList<>(state.steps());
        this.status = state.status();
        this.turned = state.turned();
        this.pending = state.pending();
        this.parked = state.parked();
        this.deadline = state.deadline();
    }

    Transition transition() {
        return new Transition(new SagaState(status, turned, pending, parked, deadline, steps), calls, facts, suspects);
    }

    Plan plan() {
        return plan;
    }

    Duration now() {
        return now;
    }

    boolean running() {
        return status == SagaStatus.RUNNING;
    }

    boolean compensating() {
        return status == SagaStatus.COMPENSATING;
    }

    boolean active() {
        return status.active();
    }

    boolean completed() {
        return status == SagaStatus.COMPLETED;
    }

    boolean failed() {
        return status == SagaStatus.FAILED;
    }

    boolean backward() {
        return turned != null;
    }

    @Nullable
    SagaReason pending() {
        return pending;
    }

    /** Why it is parked, while it is. */
    @Nullable
    SagaReason parked() {
        return parked;
    }

    @Nullable
    Duration deadline() {
        return deadline;
    }

    StepState step(int i) {
        return steps.get(i);
    }

    boolean is(int i, StepStatus wanted) {
        return steps.get(i).status() == wanted;
    }

    boolean any(StepStatus wanted) {
        return steps.stream().anyMatch(step -> step.status() == wanted);
    }

    /** Whether those that wait for it may begin. */
    boolean done(int i) {
        return recorded(i) || (is(i, StepStatus.GIVEN_UP) && plan.is(i, StepKind.BEST_EFFORT));
    }

    boolean recorded(int i) {
        return switch (step(i).status()) {
            case SUCCEEDED, SKIPPED, CONFIRMING, CONFIRMED -> true;
            default -> false;
        };
    }

    void set(int i, StepState next) {
        steps.set(i, next);
    }

    void suspect(int i) {
        suspects.add(i);
    }

    /** The attempt is on its way once this is recorded. */
    void call(int i) {
        calls.add(new Call(i, step(i).phase(), step(i).attempt()));
    }

    /** It waits for what its definition says, from a moment that is never before the real one. */
    void await(int i, Duration from) {
        Waiting waiting = plan.step(i).waiting();
        Duration time = waiting == null ? null : waiting.time();
        set(i, step(i).awaiting(time == null ? null : from.plus(time)));
    }

    /** Whether it waits for the end of its child. */
    boolean awaitsChild(int i) {
        return is(i, StepStatus.WAITING) && step(i).awaiting() && plan.startsChild(i);
    }

    /** The attempt that is under way, or the wait, has ended. */
    void ended(int i, Outcome outcome) {
        facts.add(new Fact(i, step(i).phase(), step(i).attempt(), outcome, null));
    }

    /** What its compensation was waiting for has come, or is given up. */
    void settled(int i, Outcome outcome) {
        facts.add(new Fact(i, Phase.SETTLEMENT, step(i).attempt(), outcome, null));
    }

    /** No attempt, but an operator tells what came of it. */
    void settledByHand(int i, Phase phase, Outcome outcome) {
        facts.add(new Fact(i, phase, 0, outcome, null));
    }

    /** Whether an attempt that is under way may take effect without being recorded. */
    boolean mayTakeEffectUnseen(int i) {
        return is(i, StepStatus.EXECUTING) && plan.remote(i) && step(i).phase() == Phase.ACTION;
    }

    /** The action is recorded as a success. */
    void complete(int i) {
        int last = steps.stream().mapToInt(StepState::completed).max().orElse(0);
        set(i, step(i).succeeded(last + 1));
        if (i == plan.pivot()) {
            pending = null;
        }
    }

    /** The action is not tried any more, and no attempt of it is recorded as a success. */
    void settle(int i) {
        set(i, step(i).asking(null).as(step(i).inDoubt() ? StepStatus.UNKNOWN : StepStatus.GIVEN_UP));
    }

    /** No action is tried again, and nothing is begun any more; children are awaited. */
    void settleForward() {
        waiting().forEach(this::settle);
        beginNothing();
    }

    /** Steps that wait for anything but the end of their child. */
    IntStream waiting() {
        return plan.indices().filter(i -> is(i, StepStatus.WAITING) && !awaitsChild(i));
    }

    /** What has not begun has no time at which it would. */
    void beginNothing() {
        plan.indices().filter(i -> is(i, StepStatus.PENDING)).forEach(i -> set(i, step(i).as(StepStatus.PENDING)));
    }

    void skipCompensation(int i) {
        facts.add(new Fact(i, Phase.COMPENSATION, 0, Outcome.SKIPPED, null));
    }

    /** The first wish stays, but a deadline, which a retry lifts, must not hide what somebody wants. */
    void turnLater(SagaReason reason) {
        pending = pending == null || pending == SagaReason.DEADLINE_EXCEEDED ? reason : pending;
    }

    /** Who asked first, while the pivot was under way, gives the reason. */
    void turn(SagaReason reason) {
        turned = pending == null ? reason : pending;
        pending = null;
        status = SagaStatus.COMPENSATING;
        saga(Outcome.TURNED, turned);
    }

    /** Parks it; the first reason stays. */
    void park(SagaReason reason) {
        if (active()) {
            status = SagaStatus.FAILED;
            parked = reason;
            saga(Outcome.PARKED, reason);
        }
    }

    void resume() {
        status = backward() ? SagaStatus.COMPENSATING : SagaStatus.RUNNING;
        parked = null;
        deadline = null;
        pending = pending == SagaReason.DEADLINE_EXCEEDED ? null : pending;
        saga(Outcome.RESUMED, null);
    }

    void end(SagaStatus last) {
        status = last;
        parked = null;
        pending = null;
        saga(Outcome.ENDED, null);
    }

    private void saga(Outcome outcome, @Nullable SagaReason reason) {
        facts.add(new Fact(WHOLE_SAGA, Phase.SAGA, 0, outcome, reason));
    }
}
