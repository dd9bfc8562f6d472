package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;

/** What becomes of attempts that were recorded when a saga comes to a node, or leaves one. */
final class Handover {
    private final Draft draft;
    private final Plan plan;
    private final Turning turning;
    private final Waits waits;
    private final Actions actions;
    private final Compensations compensations;
    private final Confirms confirms;
    private final Doubts doubts;

    Handover(
            Draft draft,
            Turning turning,
            Waits waits,
            Actions actions,
            Compensations compensations,
            Confirms confirms,
            Doubts doubts) {
        this.draft = draft;
        this.plan = draft.plan();
        this.turning = turning;
        this.waits = waits;
        this.actions = actions;
        this.compensations = compensations;
        this.confirms = confirms;
        this.doubts = doubts;
    }

    /** Nothing that is recorded was called: call it now, unless it goes forward and the saga turns or parks, by its deadline or a wait. */
    void resume(Duration now) {
        waits.end(now);
        turning.check(now);
        for (int i : underWay()) {
            boolean asks = draft.active() && draft.step(i).phase() == Phase.PROBE;
            if (!draft.running() && !draft.is(i, StepStatus.COMPENSATING) && !asks) {
                withdraw(i, now);
            } else {
                draft.call(i);
            }
        }
    }

    /** The node that called is lost: nobody knows what came of it. */
    void takeOver(Duration now) {
        for (int i : underWay()) {
            Phase phase = draft.step(i).phase();
            draft.ended(i, Outcome.TAKEN_OVER);
            boolean mayBeDone = draft.mayTakeEffectUnseen(i);
            draft.set(i, draft.step(i).counting(Outcome.TAKEN_OVER).doubted(mayBeDone));
            boolean limit = draft.step(i).takeovers() >= Plan.MOST_TAKEOVERS;
            switch (phase) {
                case COMPENSATION -> lostCompensation(i, limit, now);
                case CONFIRM -> confirms.lost(i, limit);
                default -> lostAction(i, limit, now);
            }
        }
    }

    private void lostAction(int i, boolean limit, Duration now) {
        if (limit && draft.backward()) {
            draft.settle(i);
        } else if (draft.backward()) {
            doubts.settle(i);
        } else if (limit && plan.is(i, StepKind.BEST_EFFORT)) {
            draft.set(i, draft.step(i).as(StepStatus.GIVEN_UP));
        } else if (limit) {
            draft.settle(i);
            draft.park(SagaReason.TAKEOVER_LIMIT);
        } else if (doubts.stands(i)) {
            actions.spent(i);
        } else {
            if (doubts.asks(i) && draft.step(i).question() == null) {
                doubts.ask(i, Question.Cause.RETRY);
            }
            draft.set(i, draft.step(i).waiting(StepStatus.WAITING, now));
        }
    }

    private void lostCompensation(int i, boolean limit, Duration now) {
        if (limit) {
            compensations.giveUp(i);
        } else {
            draft.set(i, draft.step(i).waiting(StepStatus.COMPENSATING, now));
        }
    }

    /** The recorded attempt was not called and will not be. */
    void withdraw(int i, Duration now) {
        StepState step = draft.step(i);
        if (step.behind()) {
            draft.set(i, step.waiting(step.status(), now));
        } else if (step.attempt() == 1 && !step.inDoubt()) {
            draft.set(i, step.as(StepStatus.PENDING));
        } else if (draft.backward()) {
            doubts.settle(i);
        } else {
            draft.set(i, step.waiting(StepStatus.WAITING, now));
        }
    }

    private Iterable<Integer> underWay() {
        return plan.indices().filter(i -> draft.step(i).underWay()).boxed().toList();
    }
}
