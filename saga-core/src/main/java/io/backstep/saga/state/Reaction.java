package io.backstep.saga.state;

import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.state.SagaEvent.Admitted;
import io.backstep.saga.state.SagaEvent.Answered;
import io.backstep.saga.state.SagaEvent.ChildEnded;
import io.backstep.saga.state.SagaEvent.Claimed;
import io.backstep.saga.state.SagaEvent.DidNot;
import io.backstep.saga.state.SagaEvent.Failed;
import io.backstep.saga.state.SagaEvent.ForceCompleted;
import io.backstep.saga.state.SagaEvent.Rejected;
import io.backstep.saga.state.SagaEvent.Resolved;
import io.backstep.saga.state.SagaEvent.Retried;
import io.backstep.saga.state.SagaEvent.Skipped;
import io.backstep.saga.state.SagaEvent.Started;
import io.backstep.saga.state.SagaEvent.Stuck;
import io.backstep.saga.state.SagaEvent.Succeeded;
import io.backstep.saga.state.SagaEvent.TurnRequested;
import io.backstep.saga.state.SagaEvent.Withdrawn;
import java.time.Duration;

/** Leads one event to those that know what follows from it. */
final class Reaction {
    private static final int NOBODY = -1;

    private final Draft draft;
    private final Duration from;
    private final Turning turning;
    private final Actions actions;
    private final Waits waits;
    private final Compensations compensations;
    private final Confirms confirms;
    private final Handover handover;
    private final Children children;
    private final Parking parking;
    private final ByHand byHand;

    /**
     * Makes one for one event.
     *
     * @param from the moment from which what begins to wait counts: never before the real one
     */
    Reaction(Draft draft, Duration from) {
        this.draft = draft;
        this.from = from;
        Doubts doubts = new Doubts(draft);
        this.turning = new Turning(draft, doubts);
        this.actions = new Actions(draft, turning, doubts);
        this.compensations = new Compensations(draft);
        this.waits = new Waits(draft, turning, actions, compensations);
        this.confirms = new Confirms(draft);
        this.handover = new Handover(draft, turning, waits, actions, compensations, confirms, doubts);
        this.children = new Children(draft, turning, waits, actions, compensations, handover);
        this.parking = new Parking(draft, handover, actions, doubts);
        this.byHand = new ByHand(draft, actions, compensations, doubts, parking);
    }

    /** What an operator may say of a step. */
    boolean allows(int step, Resolution resolution) {
        return byHand.allows(step, resolution);
    }

    void to(SagaEvent event) {
        if (event instanceof Succeeded end) {
            succeeded(end);
        } else if (event instanceof Skipped end) {
            requireUnderWay(end.step(), Phase.CONDITION);
            actions.skipped(end.step());
            advance(end.now());
        } else if (event instanceof DidNot end) {
            requireUnderWay(end.step(), Phase.PROBE);
            actions.didNot(end.step());
            advance(end.now());
        } else if (event instanceof Rejected end) {
            rejected(end);
        } else if (event instanceof Failed end) {
            failed(end);
        } else if (event instanceof Withdrawn end) {
            requireUnderWay(end.step(), end.phase());
            handover.withdraw(end.step(), end.now());
        } else if (event instanceof Answered answer) {
            if (waits.answered(answer)) {
                advance(answer.now());
            }
        } else if (event instanceof Started start) {
            requireUnderWay(start.step(), Phase.ACTION);
            children.started(start.step(), start.now());
            advance(start.now());
        } else if (event instanceof ChildEnded end) {
            if (children.ended(end)) {
                advance(end.now());
            }
        } else if (event instanceof Stuck stuck) {
            parking.stuck(stuck);
            if (draft.active()) {
                advance(stuck.now());
            }
        } else if (event instanceof Retried) {
            retried(event.now());
        } else if (event instanceof Resolved told) {
            if (draft.failed()) {
                resolved(told);
            }
        } else if (event instanceof ForceCompleted) {
            forceCompleted(event.now());
        } else if (event instanceof TurnRequested wish) {
            turnRequested(wish);
        } else if (draft.active()) {
            toActive(event);
        }
    }

    private void toActive(SagaEvent event) {
        if (event instanceof Claimed claimed && claimed.takenOver()) {
            handover.takeOver(event.now());
        } else if (event instanceof Claimed) {
            handover.resume(event.now());
        }
        advance(event.now(), event instanceof Admitted suspect ? suspect.step() : NOBODY);
    }

    private void succeeded(Succeeded end) {
        requireUnderWay(end.step(), end.phase());
        switch (end.phase()) {
            case CONDITION -> actions.allowed(end.step());
            case ACTION, PROBE -> actions.succeeded(end.step());
            case CONFIRM -> confirms.succeeded(end.step());
            default -> compensations.succeeded(end.step(), from);
        }
        advance(end.now());
    }

    private void rejected(Rejected end) {
        switch (requireUnderWay(end.step(), end.phase())) {
            case COMPENSATION -> compensations.rejected(end.step());
            case CONFIRM -> confirms.rejected(end.step());
            default -> actions.rejected(end.step());
        }
        advance(end.now());
    }

    private void failed(Failed end) {
        switch (requireUnderWay(end.step(), end.phase())) {
            case COMPENSATION -> compensations.failed(end);
            case CONFIRM -> confirms.failed(end);
            case PROBE -> actions.unanswered(end);
            default -> actions.failed(end);
        }
        advance(end.now());
    }

    private void turnRequested(TurnRequested wish) {
        boolean before = draft.compensating();
        if (!children.undone(wish.reason())) {
            turning.request(wish.reason());
        }
        if (!before && draft.compensating()) {
            advance(wish.now());
        }
    }

    private void resolved(Resolved told) {
        byHand.resolve(told);
        if (draft.active()) {
            advance(told.now());
        }
    }

    private void retried(Duration now) {
        if (draft.failed()) {
            parking.resume(now);
            advance(now);
        }
    }

    private void forceCompleted(Duration now) {
        if (draft.active() || draft.failed()) {
            parking.end(now);
        }
    }

    private Phase requireUnderWay(int i, Phase phase) {
        StepState step = draft.step(i);
        if (!step.underWay() || step.phase() != phase) {
            throw new IllegalStateException("SAGA-STATE-001: no " + phase + " of step "
                    + draft.plan().step(i).name() + " of " + draft.plan() + " is under way, the step is " + step
                    + "; only the end of an attempt that is under way can be told");
        }
        return phase;
    }

    void advance(Duration now) {
        advance(now, NOBODY);
    }

    private void advance(Duration now, int admitted) {
        new Advance(draft, turning, waits, compensations, confirms, now, from, admitted).run();
    }
}
