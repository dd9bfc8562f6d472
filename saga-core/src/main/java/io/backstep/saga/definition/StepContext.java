package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an action or a compensation is told. Valid while it runs, and only on its thread, but for {@link #isOwner()} and
 * {@link #remaining()}, which any thread may ask.
 *
 * @param <I> the input of the saga
 */
public interface StepContext<I> {
    /**
     * The id of the saga.
     *
     * @return the id
     */
    UUID sagaId();

    /**
     * The name of the saga's type.
     *
     * @return the name
     */
    String sagaName();

    /**
     * The business key that the saga was started with.
     *
     * @return the key, or null
     */
    @Nullable
    String businessKey();

    /**
     * The input that the saga was started with.
     *
     * @return the input
     */
    I input();

    /**
     * The result of an earlier step.
     *
     * @param step the step
     * @param <R> its result
     * @return the result
     * @throws java.util.NoSuchElementException when the step has no result: not run yet, skipped, or it returned nothing
     */
    <R> R result(Step<R> step);

    /**
     * The result of an earlier step, if there is one.
     *
     * @param step the step
     * @param <R> its result
     * @return the result, or empty
     */
    <R> Optional<R> findResult(Step<R> step);

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
     * The key that tells an action from its compensation.
     *
     * @return {@code <saga id>:<step>:action} or {@code <saga id>:<step>:compensation}
     */
    String operationKey();

    /**
     * Which attempt this is.
     *
     * @return 1 for the first
     */
    int attempt();

    /**
     * How long this attempt may still take: until its timeout, or the saga's deadline if that is nearer.
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
