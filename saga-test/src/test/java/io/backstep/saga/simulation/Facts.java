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
    boolean rejected;
    boolean givenUp;
    boolean undone;
    boolean undoFailed;
    boolean undoing;
    boolean allowed;
    boolean skipped;
    boolean endedAfterTurn;

    /** Whether it waited, and nobody answered in time. */
    boolean silent;

    /** Whether its probe must be asked before anything follows from the doubt. */
    boolean toBeAsked;

    /** How often its probe was asked without an answer, since there is something to ask. */
    int unanswered;

    /** Whether the saga has turned since its last attempt: what was to be tried again may be asked from the beginning. */
    boolean turnedMeanwhile;

    int attempt() {
        return 1 + failures + interruptions + takeovers;
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
            case SUCCEEDED, REJECTED, SKIPPED -> {}
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
        if (!turned && !done) {
            fresh();
            silent = false;
        }
        if (turned && !undone) {
            fresh();
            undoFailed = false;
            undoing = false;
        }
    }
}
