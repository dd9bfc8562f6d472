package io.backstep.saga.test.exploration;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Every kind of transition that the contract allows, by hand; "of another" is an event of another step, or of the saga;
 * "Allowed" is a condition that holds. A
 * kind that is missing here is a fault of the machine, or a new promise.
 */
final class AllowedTransitions {
    private static final String STEPS = """
            PENDING -> EXECUTING: Succeeded of another, Failed of another, Rejected of another, INTERRUPTED of another
            PENDING -> EXECUTING: claim of another, takeover of another, Retried of another
            PENDING -> EXECUTING: Stuck of another

            EXECUTING -> SUCCEEDED: Succeeded, Stuck
            EXECUTING -> REJECTED: Rejected
            EXECUTING -> WAITING: Failed, INTERRUPTED, Withdrawn, takeover, Stuck
            EXECUTING -> PENDING: Withdrawn, claim, Stuck
            EXECUTING -> UNKNOWN: Failed, Rejected, INTERRUPTED, Withdrawn, claim, takeover, Stuck, Retried
            EXECUTING -> GIVEN_UP: Failed, Rejected, INTERRUPTED, Withdrawn, claim, takeover, Stuck, Retried
            EXECUTING -> COMPENSATING: Succeeded, Failed, Rejected, INTERRUPTED, claim, takeover, Retried, Stuck

            WAITING -> EXECUTING: Admitted, TimePassed of another, claim of another, takeover of another
            WAITING -> EXECUTING: Succeeded of another, Retried of another
            WAITING -> UNKNOWN: Admitted, TimePassed of another, TurnRequested of another, claim of another
            WAITING -> UNKNOWN: takeover of another, Succeeded of another, Failed of another, Rejected of another
            WAITING -> GIVEN_UP: Admitted, TimePassed of another, TurnRequested of another, claim of another
            WAITING -> GIVEN_UP: takeover of another, Succeeded of another, Failed of another, Rejected of another
            WAITING -> GIVEN_UP: Retried of another
            WAITING -> COMPENSATING: Admitted, TimePassed of another, TurnRequested of another, claim of another
            WAITING -> COMPENSATING: takeover of another, Succeeded of another, Failed of another, Rejected of another

            SUCCEEDED -> COMPENSATING: Succeeded of another, Failed of another, Rejected of another
            SUCCEEDED -> COMPENSATING: INTERRUPTED of another, TimePassed of another, TurnRequested of another
            SUCCEEDED -> COMPENSATING: Admitted of another, claim of another, takeover of another, Retried of another
            SUCCEEDED -> COMPENSATING: Stuck of another
            UNKNOWN -> COMPENSATING: Succeeded of another, Failed of another, Rejected of another
            UNKNOWN -> COMPENSATING: INTERRUPTED of another, TimePassed of another
            UNKNOWN -> COMPENSATING: claim of another, takeover of another, Retried of another
            UNKNOWN -> COMPENSATING: Stuck of another
            COMPENSATING -> COMPENSATED: Succeeded
            COMPENSATING -> COMPENSATION_FAILED: Failed, Rejected, takeover

            EXECUTING -> UNKNOWN: ForceCompleted
            EXECUTING -> GIVEN_UP: ForceCompleted
            WAITING -> UNKNOWN: ForceCompleted of another
            WAITING -> GIVEN_UP: ForceCompleted of another
            COMPENSATING -> COMPENSATION_FAILED: ForceCompleted, ForceCompleted of another

            EXECUTING -> SKIPPED: Skipped
            EXECUTING -> PENDING: Allowed
            PENDING -> EXECUTING: Allowed of another, Skipped of another
            WAITING -> EXECUTING: Allowed of another, Skipped of another
            WAITING -> GIVEN_UP: Allowed of another, Skipped of another
            WAITING -> COMPENSATING: Allowed of another, Skipped of another
            SUCCEEDED -> COMPENSATING: Allowed of another, Skipped of another
            UNKNOWN -> COMPENSATING: Allowed of another, Skipped of another

            PENDING -> WAITING: Succeeded of another, Failed of another, Rejected of another, Stuck of another
            PENDING -> WAITING: Answered of another, TimePassed of another, claim of another, takeover of another
            PENDING -> EXECUTING: Answered of another, TimePassed of another
            WAITING -> SUCCEEDED: Answered, TimePassed of another, claim of another, takeover of another
            WAITING -> REJECTED: Refused
            WAITING -> GIVEN_UP: Answered of another, Refused of another
            WAITING -> COMPENSATING: Answered of another, Refused of another
            PENDING -> WAITING: Retried of another
            EXECUTING -> WAITING: claim
            SUCCEEDED -> COMPENSATING: Answered of another, Refused of another
            GIVEN_UP -> WAITING: Retried of another
            REJECTED -> WAITING: Retried of another

            EXECUTING -> WAITING: Started
            EXECUTING -> PENDING: Started
            EXECUTING -> GIVEN_UP: Started
            WAITING -> SUCCEEDED: ChildEnded
            WAITING -> COMPENSATING: ChildEnded
            WAITING -> REJECTED: ChildUndone
            COMPENSATING -> COMPENSATED: ChildUndone
            PENDING -> EXECUTING: Started of another, ChildEnded of another
            PENDING -> WAITING: ChildEnded of another
            WAITING -> EXECUTING: Started of another
            WAITING -> UNKNOWN: Started of another, ChildUndone of another
            WAITING -> GIVEN_UP: Started of another, ChildUndone of another
            WAITING -> COMPENSATING: Started of another, ChildEnded of another, ChildUndone of another
            SUCCEEDED -> COMPENSATING: Started of another, ChildEnded of another, ChildUndone of another
            SUCCEEDED -> COMPENSATING: PARENT of another
            UNKNOWN -> COMPENSATING: Started of another, ChildEnded of another, ChildUndone of another
            COMPENSATION_FAILED -> UNKNOWN: Retried of another

            UNKNOWN -> EXECUTING: Retried of another
            REJECTED -> EXECUTING: Retried of another
            GIVEN_UP -> EXECUTING: Retried of another
            COMPENSATION_FAILED -> COMPENSATING: Retried of another
            """;

    /** Allowed, too, but only a longer exploration comes to them. */
    private static final String RARE = """
            WAITING -> EXECUTING: Failed of another, Rejected of another, INTERRUPTED of another
            WAITING -> UNKNOWN: Admitted of another, INTERRUPTED of another, Retried of another
            WAITING -> GIVEN_UP: Admitted of another, INTERRUPTED of another
            WAITING -> COMPENSATING: Admitted of another, INTERRUPTED of another
            COMPENSATING -> SUCCEEDED: Retried, Retried of another
            COMPENSATION_FAILED -> SUCCEEDED: Retried of another
            WAITING -> UNKNOWN: Allowed of another, Skipped of another
            WAITING -> EXECUTING: ChildEnded of another
            WAITING -> UNKNOWN: ChildEnded of another
            WAITING -> GIVEN_UP: ChildEnded of another
            """;

    private static final String SAGAS = """
            RUNNING -> COMPLETED: Succeeded, Failed, Rejected, Stuck
            RUNNING -> COMPENSATING: Succeeded, Failed, Rejected, INTERRUPTED, Stuck
            RUNNING -> COMPENSATING: TimePassed, TurnRequested, Admitted, claim, takeover
            RUNNING -> COMPENSATED: Succeeded, Failed, Rejected, INTERRUPTED, Stuck
            RUNNING -> COMPENSATED: TimePassed, TurnRequested, Admitted, claim, takeover
            RUNNING -> FAILED: Failed, Rejected, takeover, Stuck
            COMPENSATING -> COMPENSATED: Succeeded, Failed, Rejected, INTERRUPTED, TimePassed, claim, takeover, Stuck
            COMPENSATING -> FAILED: Succeeded, Failed, Rejected, takeover, Stuck
            RUNNING -> COMPLETED: Skipped
            RUNNING -> COMPENSATING: Allowed, Skipped
            RUNNING -> COMPENSATED: Allowed, Skipped
            COMPENSATING -> COMPENSATED: Allowed, Skipped
            RUNNING -> COMPLETED: Answered, TimePassed, claim, takeover
            RUNNING -> COMPENSATING: Answered, Refused
            RUNNING -> COMPENSATED: Answered, Refused
            RUNNING -> FAILED: Refused, TimePassed, claim
            RUNNING -> COMPLETED: ChildEnded
            RUNNING -> COMPENSATING: Started, ChildEnded, ChildUndone
            RUNNING -> COMPENSATED: Started, ChildEnded, ChildUndone
            RUNNING -> FAILED: ChildUndone
            COMPENSATING -> COMPENSATED: Started, ChildEnded, ChildUndone
            COMPENSATING -> FAILED: ChildUndone
            COMPLETED -> COMPENSATING: PARENT
            COMPLETED -> COMPENSATED: PARENT
            FAILED -> RUNNING: Retried
            FAILED -> COMPENSATING: Retried
            FAILED -> COMPENSATED: Retried
            FAILED -> COMPLETED: Retried
            RUNNING -> FORCE_COMPLETED: ForceCompleted
            COMPENSATING -> FORCE_COMPLETED: ForceCompleted
            FAILED -> FORCE_COMPLETED: ForceCompleted
            """;

    private AllowedTransitions() {}

    static Set<String> ofSteps() {
        return parsed(STEPS);
    }

    static Set<String> rareOfSteps() {
        return parsed(RARE);
    }

    static Set<String> ofSagas() {
        return parsed(SAGAS);
    }

    private static Set<String> parsed(String lines) {
        Set<String> all = new TreeSet<>();
        lines.lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.split(": "))
                .forEach(line -> Stream.of(line[1].split(", ")).forEach(event -> all.add(line[0] + " on " + event)));
        return all;
    }
}
