package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A saga as it was when it was read. */
public interface SagaInstance {
    /**
     * Its id.
     *
     * @return the id
     */
    UUID sagaId();

    /**
     * The name of its type.
     *
     * @return the name
     */
    String name();

    /**
     * The version of the definition that it started with.
     *
     * @return the version
     */
    int version();

    /**
     * Its business key.
     *
     * @return the key, or null
     */
    @Nullable
    String businessKey();

    /**
     * Its status.
     *
     * @return the status
     */
    SagaStatus status();

    /**
     * Why it is parked, else why it turned.
     *
     * @return the reason, or null
     */
    @Nullable
    SagaReason reason();

    /**
     * Whether it is over for good. A FAILED saga is not: it waits for an operator.
     *
     * @return true when its status is final
     */
    boolean ended();

    /**
     * Its steps, in the order of the definition.
     *
     * @return a view of each
     */
    List<StepView> steps();

    /**
     * The recorded result of a step.
     *
     * @param step the step
     * @param <R> its result
     * @return the result; empty when there is none (yet)
     * @throws io.backstep.saga.SagaSerializationException when it is not of that type
     */
    <R> Optional<R> result(Step<R> step);

    /**
     * When it was started, by the database's clock.
     *
     * @return the time
     */
    Instant createdAt();

    /**
     * When it was last written, by the database's clock.
     *
     * @return the time
     */
    Instant updatedAt();
}
