package io.backstep.saga.simulation;

import io.backstep.saga.Outcome;

/** What a saga's history says of one step. */
final class Facts {
    int failures;
    int interruptions;
    int takeovers;
    int place;
    boolean done;
    boolean doubt;

    /** Whether that was in a former version, by its order. */
    boolean doneBefore;

    boolean rejected;
    boolean givenUp;
    boolean undone;
    boolean undoFailed;
    boolean undoing;
    boolean allowed;
    boolean skipped;
    boolean endedAfterTurn;

    /** Whether an attempt to confirm it has ended. */
    boolean confirming;

    boolean confirmed;
    boolean confirmRefused;

    /** Whether it waited, and nobody answered in time. */
    boolean silent;

    /** Whether the saga that it started has not told its end yet. */
    boolean childRuns;

    /** Whether its probe must be asked before anything follows from the doubt. */
    boolean toBeAsked;

    /** How often its probe was asked without an answer, since there is something to ask. */
    int unanswered;

    /** Whether the saga has turned since its last attempt: what was to be tried again may be asked from the beginning. */
    boolean turnedMeanwhile;

    int attempt() {
        return 1 + failures + interruptions + takeovers;
    }

    /** Whether anything has come of it. */
    boolean hasBegun() {
        return attempt() > 1 || done || doubt || rejected || givenUp || skipped || childRuns || silent;
    }

    void fresh() {
        failures = 0;
        interruptions = 0;
        takeovers = 0;
    }

    void count(Outcome outcome) {
        switch (outcome) {
            case INTERRUPTED -> interruptions++;
            case TAKEN_OVER -> takeovers++;
            case SUCCEEDED, REJECTED, SKIPPED, STARTED -> {}
            default -> failures++;
        }
    }

    void probed(Outcome outcome) {
        switch (outcome) {
            case INTERRUPTED -> interruptions++;
            case TAKEN_OVER -> takeovers++;
            case SUCCEEDED -> {
                done = true;
                toBeAsked = false;
            }
            case DID_NOT -> {
                doubt = false;
                toBeAsked = false;
            }
            default -> {
                unanswered++;
                toBeAsked = false;
            }
        }
    }

    /** An operator lets it try again. */
    void again(boolean turned) {
        if (!turned && !done && !childRuns) {
            fresh();
            silent = false;
        }
        if (!turned && done && !confirmed) {
            fresh();
            confirmRefused = false;
        }
        if (turned && !undone && !childRuns) { // what waits for its child is no attempt
            fresh();
            undoFailed = false;
            undoing = false;
        }
    }

    /** Whether this of a step that starts a saga is the start; else it is its end. */
    boolean isStart(StepShape step, Outcome outcome, boolean turned) {
        boolean starts = outcome == Outcome.STARTED;
        boolean ends = outcome == Outcome.SUCCEEDED || outcome == Outcome.REJECTED;
        Model.require(
                childRuns ? ends : !ends,
                "CHILD",
                () -> "the child of " + step.name() + (childRuns ? " runs, and " : " does not run, and ") + outcome
                        + " is recorded");
        Model.require(!starts || !turned, "CHILD", () -> "the child of " + step.name() + " starts after the turn");
        childRuns = starts;
        return starts;
    }
}
