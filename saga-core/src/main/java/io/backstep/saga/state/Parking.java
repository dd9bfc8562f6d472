package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;
import java.util.List;

/** How a saga is parked by the engine, and how an operator gets it moving again. */
final class Parking {
    private final Draft draft;
    private final Plan plan;
    private final Handover handover;
    private final Actions actions;
    private final Doubts doubts;

    Parking(Draft draft, Handover handover, Actions actions, Doubts doubts) {
        this.draft = draft;
        this.plan = draft.plan();
        this.handover = handover;
        this.actions = actions;
        this.doubts = doubts;
    }

    void stuck(SagaEvent.Stuck event) {
        int i = event.step();
        boolean goesOn = event.onlyResultIsMissing() && goesOnWithoutTheResultOf(i);
        if (i >= 0 && draft.step(i).underWay()) {
            putDown(i, event);
        }
        if (!goesOn) {
            draft.park(event.reason());
        }
    }

    /** Nobody waits for what a best-effort step has found, and an action is undone whether its result is known or not. */
    private boolean goesOnWithoutTheResultOf(int i) {
        boolean action = i >= 0 && draft.is(i, StepStatus.EXECUTING);
        return action && (draft.backward() || plan.remote(i) && plan.is(i, StepKind.BEST_EFFORT));
    }

    private void putDown(int i, SagaEvent.Stuck event) {
        boolean mayBeDone = draft.mayTakeEffectUnseen(i);
        boolean found = draft.step(i).phase() == Phase.PROBE;
        if ((mayBeDone || found) && event.onlyResultIsMissing()) {
            draft.ended(i, Outcome.SUCCEEDED);
            draft.complete(i);
        } else {
            draft.ended(i, Outcome.FAILED);
            draft.set(i, draft.step(i).doubted(mayBeDone));
            handover.withdraw(i, event.now());
        }
    }

    /** Fresh attempts for whatever is left, in the direction that it had; children that are awaited are left alone. */
    void resume(Duration now) {
        draft.resume();
        abandon(now);
        if (draft.backward()) {
            draft.waiting().forEach(doubts::settleAfresh);
            plan.indices().forEach(this::undoAgain);
        } else {
            List<Integer> again = plan.indices().filter(this::isOpen).boxed().toList();
            again.stream().filter(i -> !doubts.stands(i)).forEach(i -> tryAgain(i, now));
            again.stream().filter(doubts::stands).forEach(actions::spent);
        }
    }

    /** Nothing goes on: what is open is closed as what it may be. */
    void end(Duration now) {
        abandon(now);
        draft.settleForward();
        plan.indices()
                .filter(draft::awaitsChild)
                .forEach(i -> draft.set(i, draft.step(i).doubted(true).as(StepStatus.UNKNOWN)));
        plan.indices()
                .filter(i -> draft.is(i, StepStatus.CONFIRMING))
                .forEach(i -> draft.set(i, draft.step(i).doubted(true).as(StepStatus.UNKNOWN)));
        plan.indices()
                .filter(i -> draft.is(i, StepStatus.COMPENSATING))
                .forEach(i -> draft.set(i, draft.step(i).as(StepStatus.COMPENSATION_FAILED)));
        draft.end(SagaStatus.FORCE_COMPLETED);
    }

    /** Nobody waits for the end of what is under way. */
    void abandon(Duration now) {
        plan.indices().filter(i -> draft.step(i).underWay()).forEach(i -> {
            boolean action = draft.is(i, StepStatus.EXECUTING);
            draft.ended(i, Outcome.ABANDONED);
            if (draft.is(i, StepStatus.CONFIRMING)) {
                draft.set(i, draft.step(i).waiting(StepStatus.CONFIRMING, now));
            } else if (action) {
                boolean mayBeDone = draft.mayTakeEffectUnseen(i);
                draft.set(i, draft.step(i).doubted(mayBeDone).waiting(StepStatus.WAITING, now));
            }
        });
    }

    private boolean isOpen(int i) {
        return switch (draft.step(i).status()) {
            case UNKNOWN, REJECTED, CONFIRMING -> true;
            case WAITING -> !draft.awaitsChild(i);
            case GIVEN_UP -> !plan.is(i, StepKind.BEST_EFFORT);
            default -> false;
        };
    }

    private void tryAgain(int i, Duration now) {
        if (draft.step(i).awaiting()) {
            draft.set(i, draft.step(i).fresh());
            draft.await(i, now);
            return;
        }
        if (draft.is(i, StepStatus.CONFIRMING)) {
            draft.set(i, draft.step(i).fresh().waiting(StepStatus.CONFIRMING, now));
            return;
        }
        draft.set(i, draft.step(i).fresh().asking(null).waiting(StepStatus.WAITING, now));
        if (doubts.asks(i)) {
            doubts.ask(i, Question.Cause.RETRY);
        }
    }

    /** But not what waits for a child that undoes itself: its end is still to come. */
    private void undoAgain(int i) {
        StepState step = draft.step(i);
        if (step.awaiting()) {
            return;
        }
        if (step.status() == StepStatus.COMPENSATING || step.status() == StepStatus.COMPENSATION_FAILED) {
            draft.set(i, step.fresh().as(step.completed() > 0 ? StepStatus.SUCCEEDED : StepStatus.UNKNOWN));
        }
    }
}
