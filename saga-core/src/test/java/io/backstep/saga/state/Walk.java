package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;

/** Leads one saga from event to event, and says in words where it stands. */
final class Walk {
    private final SagaDefinition<?> definition;
    private final SagaMachine machine;
    private Duration now = Duration.ZERO;
    private Transition last;

    Walk(SagaDefinition<?> definition) {
        this(definition, null);
    }

    Walk(SagaDefinition<?> definition, Duration deadline) {
        this.definition = definition;
        this.machine = new SagaMachine(definition);
        this.last = machine.start(deadline);
    }

    Walk on(SagaEvent event) {
        last = machine.on(last.state(), event);
        return this;
    }

    /** The clock goes on; nothing is told. */
    Walk after(Duration time) {
        now = now.plus(time);
        return this;
    }

    Walk timePasses() {
        return on(new SagaEvent.TimePassed(now));
    }

    Walk does(String... steps) {
        for (String step : steps) {
            on(new SagaEvent.Succeeded(now, index(step), Phase.ACTION));
        }
        return this;
    }

    /** Its child is started. */
    Walk starts(String step) {
        return on(new SagaEvent.Started(now, index(step)));
    }

    /** Its condition holds. */
    Walk allows(String step) {
        return on(new SagaEvent.Succeeded(now, index(step), Phase.CONDITION));
    }

    Walk skips(String step) {
        return on(new SagaEvent.Skipped(now, index(step)));
    }

    /** What it waits for is there. */
    Walk answers(String step) {
        return on(new SagaEvent.Answered(now, index(step), false, "yes"));
    }

    Walk refuses(String step) {
        return on(new SagaEvent.Answered(now, index(step), true, "no"));
    }

    /** Its probe finds that it took effect. */
    Walk finds(String step) {
        return on(new SagaEvent.Succeeded(now, index(step), Phase.PROBE));
    }

    /** Its probe finds that it did not. */
    Walk denies(String step) {
        return on(new SagaEvent.DidNot(now, index(step)));
    }

    Walk knowsNothingOf(String step) {
        return ends(step, Phase.PROBE, Outcome.UNKNOWN, true);
    }

    Walk undoes(String... steps) {
        for (String step : steps) {
            on(new SagaEvent.Succeeded(now, index(step), Phase.COMPENSATION));
        }
        return this;
    }

    Walk confirms(String... steps) {
        for (String step : steps) {
            on(new SagaEvent.Succeeded(now, index(step), Phase.CONFIRM));
        }
        return this;
    }

    Walk failsConfirm(String step) {
        return ends(step, Phase.CONFIRM, Outcome.FAILED, true);
    }

    Walk rejects(String step) {
        return rejects(step, Phase.ACTION);
    }

    Walk rejects(String step, Phase phase) {
        return on(new SagaEvent.Rejected(now, index(step), phase));
    }

    Walk rejectsUndo(String step) {
        return on(new SagaEvent.Rejected(now, index(step), Phase.COMPENSATION));
    }

    Walk fails(String step) {
        return ends(step, Phase.ACTION, Outcome.FAILED, true);
    }

    Walk failsForGood(String step) {
        return ends(step, Phase.ACTION, Outcome.FAILED, false);
    }

    /** All attempts fail, and the delay between them passes. */
    Walk isSpent(String step) {
        return fails(step).after(Sagas.DELAY).timePasses().fails(step);
    }

    Walk failsUndo(String step) {
        return ends(step, Phase.COMPENSATION, Outcome.FAILED, true);
    }

    Walk undoIsSpent(String step) {
        return failsUndo(step).after(Sagas.DELAY).timePasses().failsUndo(step);
    }

    Walk ends(String step, Phase phase, Outcome outcome, boolean retryable) {
        return on(new SagaEvent.Failed(now, index(step), phase, outcome, retryable, now, 0));
    }

    Walk withdraws(String step, Phase phase) {
        return on(new SagaEvent.Withdrawn(now, index(step), phase));
    }

    Walk claimed() {
        return on(new SagaEvent.Claimed(now, false));
    }

    Walk takenOver() {
        return on(new SagaEvent.Claimed(now, true));
    }

    /** Its node is lost so many times; in between it is admitted when it must be. */
    Walk kills(int times, String step) {
        for (int i = 0; i < times; i++) {
            takenOver();
            if (last.suspects().contains(index(step))) {
                admitted(step);
            }
        }
        return this;
    }

    Walk admitted(String step) {
        return on(new SagaEvent.Admitted(now, index(step)));
    }

    Walk cancelled() {
        return on(new SagaEvent.TurnRequested(now, SagaReason.CANCELLED));
    }

    Walk stuck(String step, SagaReason reason) {
        return on(new SagaEvent.Stuck(now, step.isEmpty() ? -1 : index(step), reason));
    }

    Walk retried() {
        return on(new SagaEvent.Retried(now));
    }

    /** An operator breaks off what is under way and tries again at once; shown is what follows from the second event. */
    Walk retriedByForce() {
        return stuck("", SagaReason.OPERATOR).retried();
    }

    /** Of a parked saga. */
    Walk resolved(String step, Resolution resolution) {
        return on(new SagaEvent.Resolved(now, index(step), resolution));
    }

    /** It is put down first; shown is what follows from the second event. */
    Walk resolvedByForce(String step, Resolution resolution) {
        return stuck("", SagaReason.OPERATOR).resolved(step, resolution);
    }

    List<Resolution> resolutions(String step) {
        return machine.resolutions(state(), index(step));
    }

    Walk forceCompleted() {
        return on(new SagaEvent.ForceCompleted(now));
    }

    private int index(String step) {
        return definition.indexOf(step);
    }

    Transition last() {
        return last;
    }

    SagaState state() {
        return last.state();
    }

    SagaStatus status() {
        return state().status();
    }

    StepState step(String name) {
        return state().steps().get(index(name));
    }

    StepStatus stepStatus(String name) {
        return step(name).status();
    }

    Duration wakeAt() {
        return machine.wakeAt(state());
    }

    /** Like {@code a}, in the order of compensation. */
    List<String> compensationOrder() {
        return machine.compensationOrder(state()).stream().map(this::name).toList();
    }

    /** Like {@code ACTION a 1}. */
    List<String> calls() {
        return last.calls().stream()
                .map(call -> call.phase() + " " + name(call.step()) + " " + call.attempt())
                .toList();
    }

    /** Like {@code ACTION a 1 FAILED} or {@code SAGA TURNED CANCELLED}. */
    List<String> facts() {
        return last.facts().stream().map(this::words).toList();
    }

    List<String> suspects() {
        return last.suspects().stream().map(this::name).toList();
    }

    private String words(Fact fact) {
        if (fact.step() < 0) {
            return "SAGA " + fact.outcome() + (fact.reason() == null ? "" : " " + fact.reason());
        }
        return fact.phase() + " " + name(fact.step()) + " " + fact.attempt() + " " + fact.outcome();
    }

    private String name(int step) {
        return definition.steps().get(step).name();
    }
}
