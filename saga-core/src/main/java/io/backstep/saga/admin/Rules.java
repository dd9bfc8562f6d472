package io.backstep.saga.admin;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Mail;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Which action a saga allows, and what it comes to. Pure: the state machine decides what would happen. */
final class Rules {
    private static final String NOT_ALLOWED = "SAGA-ADMIN-002";
    private static final String HELD = "SAGA-ADMIN-003";
    private static final String NOT_UNDERSTOOD = "SAGA-ADMIN-004";

    private Rules() {}

    /** What a saga allows without force. */
    static List<AdminAction> allowed(Seen seen) {
        return Stream.of(AdminAction.values())
                .filter(action -> !(rule(action, seen, false) instanceof Ruling.Refuse))
                .toList();
    }

    static Ruling rule(Wish wish, Seen seen) {
        boolean force = wish.request().force();
        boolean ofAStep = wish.action() == AdminAction.RESOLVE
                && seen.stored() != null
                && !seen.status().ended();
        return ofAStep ? Verdicts.rule(seen, wish.told(), force) : rule(wish.action(), seen, force);
    }

    private static Ruling rule(AdminAction action, Seen seen, boolean force) {
        if (seen.status().ended()) {
            return new Ruling.Refuse(NOT_ALLOWED, "it has ended");
        }
        if (seen.found().unknownStatus() != null) {
            return notUnderstood(seen); // it may have ended
        }
        return switch (action) {
            case RETRY -> retry(seen, force);
            case RETRY_COMPENSATION -> retryCompensation(seen, force);
            case FORCE_COMPLETE -> forceComplete(seen, force);
            case COMPENSATE -> turn(seen, SagaReason.OPERATOR, Mail.Kind.COMPENSATE);
            case CANCEL -> turn(seen, SagaReason.CANCELLED, Mail.Kind.CANCEL);
            case RESOLVE -> Verdicts.any(seen);
        };
    }

    private static Ruling retry(Seen seen, boolean force) {
        StoredSaga stored = seen.stored();
        boolean goesOn = seen.status().active() && !seen.lost() && seen.found().unknownReason() == null;
        if (goesOn && !force) {
            return goesOn(seen);
        }
        return stored == null ? notUnderstood(seen) : new Ruling.Write(again(seen, stored), false);
    }

    private static Ruling retryCompensation(Seen seen, boolean force) {
        StoredSaga stored = seen.stored();
        if (seen.status() == SagaStatus.RUNNING) {
            return new Ruling.Refuse(NOT_ALLOWED, "it goes forward, nothing is being compensated");
        }
        if (stored == null) {
            return notUnderstood(seen);
        }
        if (stored.state().turned() == null) {
            return new Ruling.Refuse(NOT_ALLOWED, "it is parked on its way forward, there is nothing to compensate");
        }
        return retry(seen, force);
    }

    /** One that is parked goes on; one that is not is put down first. */
    private static List<SagaEvent> again(Seen seen, StoredSaga stored) {
        return parked(seen, stored, new SagaEvent.Retried(seen.now()));
    }

    static List<SagaEvent> parked(Seen seen, StoredSaga stored, SagaEvent then) {
        List<SagaEvent> events = new ArrayList<>();
        if (seen.released()) {
            events.addAll(stored.withdrawals(seen.now()));
        }
        if (seen.status().active()) {
            events.add(new SagaEvent.Stuck(seen.now(), -1, SagaReason.OPERATOR));
        }
        events.add(then);
        return events;
    }

    private static Ruling forceComplete(Seen seen, boolean force) {
        StoredSaga stored = seen.stored();
        if (seen.found().held() && !force) {
            return held(seen);
        }
        for (AwaitedChild child : seen.children()) {
            if (child.beyondUndoing() && !force) {
                return new Ruling.Refuse(NOT_ALLOWED, "its " + child.shown());
            }
            if (!child.isOver() && !child.beyondUndoing()) {
                return new Ruling.Refuse(NOT_ALLOWED, "its " + child.shown() + "; that has to end first");
            }
        }
        if (stored == null) {
            return new Ruling.Write(null, false);
        }
        List<SagaEvent> events = new ArrayList<>(seen.released() ? stored.withdrawals(seen.now()) : List.of());
        events.add(new SagaEvent.ForceCompleted(seen.now()));
        return new Ruling.Write(events, false);
    }

    private static Ruling turn(Seen seen, SagaReason reason, Mail.Kind mail) {
        StoredSaga stored = seen.stored();
        if (seen.status() == SagaStatus.COMPENSATING) {
            return new Ruling.Refuse(NOT_ALLOWED, "it is being compensated already");
        }
        boolean parked = seen.status() == SagaStatus.FAILED;
        if (stored == null) {
            return parked ? notUnderstood(seen) : new Ruling.Post(mail);
        }
        if (stored.state().turned() != null) {
            return new Ruling.Refuse(NOT_ALLOWED, "it is parked on its way back");
        }
        List<SagaEvent> events = new ArrayList<>();
        if (parked) {
            events.add(new SagaEvent.Retried(seen.now()));
        } else if (!seen.found().held()) {
            events.add(new SagaEvent.Claimed(seen.now(), seen.row().owner() != null));
        }
        events.add(new SagaEvent.TurnRequested(seen.now(), reason));
        SagaState after = stored.stateAfter(events);
        if (after.turned() == null && after.pending() == null) {
            return new Ruling.Refuse(NOT_ALLOWED, "it goes only forward: it is decided, or its pivot is recorded");
        }
        if (seen.found().held() || (parked && reason == SagaReason.CANCELLED)) {
            return new Ruling.Post(mail);
        }
        if (parked && after.turned() == null) {
            return new Ruling.Refuse(NOT_ALLOWED, "its pivot may have taken effect; only a retry can tell");
        }
        return new Ruling.Write(events, after.turned() == null);
    }

    private static Ruling goesOn(Seen seen) {
        return seen.found().held()
                ? held(seen)
                : new Ruling.Refuse(NOT_ALLOWED, "it is not parked, it goes on by itself; force tries again at once");
    }

    static Ruling held(Seen seen) {
        return new Ruling.Refuse(
                HELD,
                "node " + seen.row().owner() + " is working on it until "
                        + seen.row().dueAt()
                        + " at least; ask again, or with force, which counts the attempt as unknown");
    }

    static Ruling notUnderstood(Seen seen) {
        return new Ruling.Refuse(NOT_UNDERSTOOD, String.valueOf(seen.obstacle()));
    }
}
