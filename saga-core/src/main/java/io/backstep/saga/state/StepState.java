package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where one step stands. The three counters are of the present phase: they start again when its condition has said yes,
 * with the compensation, and when an operator grants fresh attempts.
 *
 * @param status its status
 * @param failures attempts that failed; only these spend the retry policy
 * @param interruptions attempts that a shutdown interrupted
 * @param takeovers attempts whose node was lost
 * @param inDoubt whether an attempt of the action may have taken effect without being recorded
 * @param undecided whether its condition has still to answer: until then the action is not called
 * @param awaiting whether it waits for what its definition says: an answer, or that time passes
 * @param children how many child sagas it has started
 * @param completed its place in the order of completion, from 1; 0 while the action is not recorded as a success
 * @param notBefore when the next attempt is due, or the first, or while it is awaiting the end of that; counted from the creation of the
 *     saga; null when one is under way or nothing waits for time
 * @param question what its probe is asked, under way or next; null while there is nothing to ask
 */
public record StepState(
        StepStatus status,
        int failures,
        int interruptions,
        int takeovers,
        boolean inDoubt,
        boolean undecided,
        boolean awaiting,
        int children,
        int completed,
        @Nullable Duration notBefore,
        @Nullable Question question) {
    /** A step that has not begun, and has no condition. */
    public static final StepState NEW =
            new StepState(StepStatus.PENDING, 0, 0, 0, false, false, false, 0, 0, null, null);

    /** A step that has not begun, and has a condition. */
    public static final StepState CONDITIONAL =
            new StepState(StepStatus.PENDING, 0, 0, 0, false, true, false, 0, 0, null, null);

    /**
     * The number of the attempt that is under way, or comes next.
     *
     * @return 1 for the first; the greatest int from there on
     */
    public int attempt() {
        long before = question == null ? (long) failures + interruptions + takeovers : question.unanswered();
        return (int) Math.min(Integer.MAX_VALUE, 1 + before);
    }

    /**
     * Whether an attempt is under way, or its intent is recorded.
     *
     * @return true when something is expected to end
     */
    public boolean underWay() {
        return status == StepStatus.EXECUTING || (behind() && notBefore == null && !awaiting);
    }

    boolean due(Duration now) {
        return notBefore != null && notBefore.compareTo(now) <= 0;
    }

    /**
     * What its attempt that is under way is of, or the next one.
     *
     * @return compensation while it is COMPENSATING, confirm while it is CONFIRMING, else condition until that has answered, else probe while that is asked, else
     *     action
     */
    public Phase phase() {
        if (status == StepStatus.COMPENSATING) {
            return Phase.COMPENSATION;
        }
        if (status == StepStatus.CONFIRMING) {
            return Phase.CONFIRM;
        }
        if (undecided) {
            return Phase.CONDITION;
        }
        return question == null ? Phase.ACTION : Phase.PROBE;
    }

    StepState as(StepStatus next) {
        return new StepState(
                next,
                failures,
                interruptions,
                takeovers,
                inDoubt,
                undecided,
                false,
                children,
                completed,
                null,
                question);
    }

    StepState waiting(StepStatus next, Duration until) {
        return new StepState(
                next,
                failures,
                interruptions,
                takeovers,
                inDoubt,
                undecided,
                false,
                children,
                completed,
                until,
                question);
    }

    /** From now on it waits for what its definition says, without end when no time is given. */
    StepState awaiting(@Nullable Duration until) {
        return awaiting(StepStatus.WAITING, children, until);
    }

    /** It has started one more child, and waits for its end. */
    StepState awaitingChild() {
        return awaiting(StepStatus.WAITING, children + 1, null);
    }

    /** Its child is to be undone, or what its compensation has asked for is to be settled, and it waits for that. */
    StepState awaitingUndo(@Nullable Duration until) {
        return awaiting(StepStatus.COMPENSATING, children, until);
    }

    /** Its wait has no end but what it waits for. */
    StepState patient() {
        return awaiting(status, children, null);
    }

    private StepState awaiting(StepStatus next, int started, @Nullable Duration until) {
        return new StepState(
                next,
                failures,
                interruptions,
                takeovers,
                inDoubt,
                undecided,
                true,
                started,
                completed,
                until,
                question);
    }

    StepState succeeded(int place) {
        return new StepState(
                StepStatus.SUCCEEDED,
                failures,
                interruptions,
                takeovers,
                inDoubt,
                undecided,
                false,
                children,
                place,
                null,
                null);
    }

    StepState doubted(boolean also) {
        return new StepState(
                status,
                failures,
                interruptions,
                takeovers,
                inDoubt || also,
                undecided,
                awaiting,
                children,
                completed,
                notBefore,
                question);
    }

    /** Nothing of it took effect, and nobody need be asked. */
    StepState withoutDoubt() {
        return new StepState(
                status,
                failures,
                interruptions,
                takeovers,
                false,
                undecided,
                awaiting,
                children,
                completed,
                notBefore,
                null);
    }

    StepState asking(@Nullable Question next) {
        return new StepState(
                status,
                failures,
                interruptions,
                takeovers,
                inDoubt,
                undecided,
                awaiting,
                children,
                completed,
                notBefore,
                next);
    }

    /** Its action has come to its end, and what follows that is called, or has its time: a compensation or a confirm. */
    boolean behind() {
        return status == StepStatus.COMPENSATING || status == StepStatus.CONFIRMING;
    }

    /** Its condition has answered. */
    StepState decided(StepStatus next) {
        return new StepState(next, 0, 0, 0, inDoubt, false, false, children, completed, null, null);
    }

    StepState fresh() {
        return new StepState(status, 0, 0, 0, inDoubt, undecided, awaiting, children, completed, notBefore, question);
    }

    /** One more attempt that ended so, without success. */
    StepState counting(Outcome outcome) {
        boolean interrupted = outcome == Outcome.INTERRUPTED;
        boolean takenOver = outcome == Outcome.TAKEN_OVER;
        return new StepState(
                status,
                oneMoreIf(!interrupted && !takenOver, failures),
                oneMoreIf(interrupted, interruptions),
                oneMoreIf(takenOver, takeovers),
                inDoubt,
                undecided,
                awaiting,
                children,
                completed,
                notBefore,
                question);
    }

    /** A counter that is full stays full. */
    private static int oneMoreIf(boolean counted, int count) {
        return counted && count < Integer.MAX_VALUE ? count + 1 : count;
    }
}
