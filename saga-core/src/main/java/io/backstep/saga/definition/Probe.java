package io.backstep.saga.definition;

import org.jspecify.annotations.Nullable;

/**
 * What a probe has found out about an action whose outcome is unknown.
 *
 * @param <R> the result of the step; {@link Void} when it has none
 */
public final class Probe<R> {
    /** What a probe can say. */
    public enum Answer {
        /** The action took effect. */
        TOOK_EFFECT,
        /** The action did not take effect, and no call of it that is still on its way will. */
        DID_NOT,
        /** It does not know, or not yet. */
        UNKNOWN
    }

    private static final Probe<?> DID_NOT = new Probe<>(Answer.DID_NOT, null);
    private static final Probe<?> UNKNOWN = new Probe<>(Answer.UNKNOWN, null);

    private final Answer answer;
    private final @Nullable R result;

    private Probe(Answer answer, @Nullable R result) {
        this.answer = answer;
        this.result = result;
    }

    /**
     * The action took effect: the step is recorded as a success with this result, and not called again.
     *
     * @param result what the action would have returned; null is stored as absent
     * @param <R> the result of the step
     * @return the answer
     */
    public static <R> Probe<R> tookEffect(@Nullable R result) {
        return new Probe<>(Answer.TOOK_EFFECT, result);
    }

    /**
     * The action of a step without a result took effect: the step is recorded as a success, and not called again.
     *
     * @return the answer
     */
    public static Probe<Void> tookEffect() {
        return new Probe<>(Answer.TOOK_EFFECT, null);
    }

    /**
     * The action did not take effect, and will not: a call that is still on its way must be refused when it arrives. The step may be
     * called again; when the saga turns it is not compensated. Where that is not certain, say {@link #unknown()}.
     *
     * @param <R> the result of the step
     * @return the answer
     */
    @SuppressWarnings("unchecked")
    public static <R> Probe<R> didNot() {
        return (Probe<R>) DID_NOT;
    }

    /**
     * Nobody knows, or not yet. Before a retry the action is called all the same, with the same key; otherwise the probe is asked again,
     * by the retry policy of the step, and then the step stays unknown.
     *
     * @param <R> the result of the step
     * @return the answer
     */
    @SuppressWarnings("unchecked")
    public static <R> Probe<R> unknown() {
        return (Probe<R>) UNKNOWN;
    }

    /**
     * What it says.
     *
     * @return the answer
     */
    public Answer answer() {
        return answer;
    }

    /**
     * What the action would have returned.
     *
     * @return the result, or null when the answer has none
     */
    public @Nullable R result() {
        return result;
    }

    @Override
    public String toString() {
        return answer.name();
    }
}
