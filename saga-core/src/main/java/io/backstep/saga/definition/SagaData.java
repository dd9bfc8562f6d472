package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a saga, for a condition: nothing in it changes from one look to the next, so a condition that reads nothing else
 * is pure. Valid while the condition runs, and only on its thread.
 *
 * @param <I> the input of the saga
 */
public interface SagaData<I> {
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
     * The result of a step that this one waits for. Any other may be there or not.
     *
     * @param step the step
     * @param <R> its result
     * @return the result
     * @throws java.util.NoSuchElementException when the step has no result: not run yet, skipped, or it returned nothing; but a step of
     *     type {@code Optional} that this one waits for gives {@code Optional.empty()} then
     */
    <R> R result(Step<R> step);

    /**
     * The result of a step that this one waits for, if there is one. Any other may be there or not.
     *
     * @param step the step
     * @param <R> its result
     * @return the result; empty when the step was skipped, is not run yet, or returned nothing, that is null or {@code Optional.empty()}
     */
    <R> Optional<R> findResult(Step<R> step);
}
