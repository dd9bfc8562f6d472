package io.backstep.saga.state;

/**
 * What a step in doubt asks its probe: whether the action took effect.
 *
 * @param cause what follows when it did not, or when nobody knows
 * @param unanswered how often the probe was asked without an answer; interruptions and lost nodes do not count
 */
public record Question(Cause cause, int unanswered) {
    /** Why a probe is asked. */
    public enum Cause {
        /** The action may be called again. */
        RETRY,
        /** The action is not called again: its attempts are spent, or the saga has turned. */
        SPENT,
        /** A later attempt was a business no, which says nothing of the earlier ones. */
        REJECTED
    }

    Question unansweredOnceMore() {
        return new Question(cause, Math.min(unanswered, Integer.MAX_VALUE - 1) + 1);
    }
}
