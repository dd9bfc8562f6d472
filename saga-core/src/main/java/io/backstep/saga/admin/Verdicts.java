package io.backstep.saga.admin;

import io.backstep.saga.Resolution;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import io.backstep.saga.StepStatus;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.state.SagaEvent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What may be said of a step, and whether what is said of it makes sense. */
final class Verdicts {
    private static final String NOT_ALLOWED = "SAGA-ADMIN-002";
    private static final String WRONG = "SAGA-REQ-004";

    private Verdicts() {}

    /** Whether anything may be said of any step. */
    static Ruling any(Seen seen) {
        StoredSaga stored = seen.stored();
        if (stored == null) {
            return Rules.notUnderstood(seen);
        }
        boolean any = stored.definition().steps().stream()
                .anyMatch(step -> !allowed(seen, step.name(), false).isEmpty());
        return any
                ? new Ruling.Write(null, false)
                : new Ruling.Refuse(NOT_ALLOWED, "there is no step of which anything could be said now");
    }

    /** What may be said of a step. */
    static List<Resolution> allowed(Seen seen, String step, boolean force) {
        StoredSaga stored = seen.stored();
        if (stored == null
                || (seen.found().held() && !force)
                || awaited(seen, step).isPresent()) {
            return List.of();
        }
        return stored.resolutions(step);
    }

    static Ruling rule(Seen seen, Verdict verdict, boolean force) {
        StoredSaga stored = seen.stored();
        if (stored == null) {
            return Rules.notUnderstood(seen);
        }
        int step = stored.definition().indexOf(verdict.step());
        if (step < 0) {
            throw new SagaRequestException(
                    WRONG,
                    "step",
                    "step is " + Shown.quoted(verdict.step()) + "; allowed is a step of " + stored.definition());
        }
        if (seen.found().held() && !force) {
            return Rules.held(seen);
        }
        Optional<AwaitedChild> child = awaited(seen, verdict.step());
        if (child.isPresent()) {
            return new Ruling.Refuse(
                    NOT_ALLOWED, "its " + child.get().shown() + "; that has to end first, and tells it");
        }
        List<Resolution> allowed = stored.resolutions(verdict.step());
        if (!allowed.contains(verdict.outcome())) {
            return new Ruling.Refuse(
                    NOT_ALLOWED,
                    "step " + verdict.step() + " is " + stored.status(verdict.step()) + ", of which "
                            + (allowed.isEmpty() ? "nothing can be said" : "can be said " + allowed));
        }
        return new Ruling.Write(
                Rules.parked(seen, stored, new SagaEvent.Resolved(seen.now(), step, verdict.outcome())), false);
    }

    /** A child that tells the end of the step by itself, now or some day. */
    private static Optional<AwaitedChild> awaited(Seen seen, String step) {
        return seen.children().stream()
                .filter(child -> child.step().equals(step) && !child.answersNothing())
                .findFirst();
    }

    /** The result as it is stored, or null when there is none to be told. */
    static @Nullable String result(Operators operators, Seen seen, StoredSaga stored, Verdict verdict) {
        Type type = verdict.outcome() == Resolution.SUCCEEDED ? stored.resultType(verdict.step()) : null;
        String result = verdict.result();
        boolean confirmed = stored.status(verdict.step()) == StepStatus.CONFIRMING;
        if (type == null || confirmed) {
            if (result != null) {
                throw wrong("there is a result, and step " + verdict.step() + " has none to be told; leave it out");
            }
            return null;
        }
        if (result == null) {
            if (stored.state().turned() != null) {
                return null; // a compensation can do without
            }
            throw wrong("it is missing: the steps that follow may need what step " + verdict.step()
                    + " returns; JSON of " + type.getTypeName() + " is needed");
        }
        try {
            return operators.result(seen.row().sagaId(), verdict.step(), result, type);
        } catch (SagaSerializationException e) {
            throw wrong(e.getMessage() + "; JSON of " + type.getTypeName() + " is needed");
        }
    }

    private static SagaRequestException wrong(String what) {
        return new SagaRequestException(WRONG, "result", "result: " + what);
    }
}
