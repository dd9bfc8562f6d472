package io.backstep.saga.definition;

import java.time.Duration;

/**
 * What an action, a probe, a compensation or a confirm is told. Valid while it runs, and only on its thread, but for {@link #isOwner()} and
 * {@link #remaining()}, which any thread may ask.
 *
 * @param <I> the input of the saga
 */
public interface StepContext<I> extends SagaData<I> {
    /**
     * The step that runs, or whose compensation runs.
     *
     * @return its name
     */
    String stepName();

    /**
     * The key to hand to the participant: the same for every attempt of a step, on every node, and for its compensation.
     *
     * @return {@code <saga id>:<step>}
     */
    String idempotencyKey();

    /**
     * The key that tells an action from its compensation, and a try from its confirm and its cancel; a probe is handed its action's.
     *
     * @return {@code <saga id>:<step>:action}, of a try as well; {@code <saga id>:<step>:compensation}, of a cancel as well; or
     *     {@code <saga id>:<step>:confirm}
     */
    String operationKey();

    /**
     * Which attempt this is.
     *
     * @return 1 for the first
     */
    int attempt();

    /**
     * How long this attempt may still take: until its timeout, or the saga's deadline if that is nearer. The deadline counts where it can
     * still turn the saga: not for a compensation, a confirm, a probe, a step behind the decision, or a pivot that is tried again after it because it
     * may have taken effect.
     *
     * @return the time left, never negative
     */
    Duration remaining();

    /**
     * The fencing token: rises whenever the saga changes hands. For participants that refuse an older one.
     *
     * @return the epoch
     */
    long epoch();

    /**
     * Whether this node still owns the saga by its own monotonic clock. When false, whatever this attempt returns is
     * refused.
     *
     * @return true while the lease lasts
     */
    boolean isOwner();
}
