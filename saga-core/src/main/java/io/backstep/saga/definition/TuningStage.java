package io.backstep.saga.definition;

import java.time.Duration;

/**
 * A complete step: it may be tuned, or the saga goes on.
 *
 * @param <I> the input of the saga
 */
public interface TuningStage<I> extends SagaStage<I> {
    /**
     * How often, and how far apart, the action is tried. Where the policy does not limit the attempts, a retriable step is
     * tried without end and any other 3 times.
     *
     * @param policy the policy; unless given, exponential from 200 ms
     * @return the step
     */
    TuningStage<I> retry(Retry policy);

    /**
     * How long one attempt of the action may take, from its call.
     *
     * @param longest more than zero, at most 366 days, and at most the saga's deadline when the step is compensatable or
     *     the pivot; 1 minute unless given
     * @return the step
     */
    TuningStage<I> timeout(Duration longest);

    /**
     * Takes exceptions of these types, and their subtypes, from the action as a business no. Adds to those of the policy.
     *
     * @param types exception types, at least one; checked by {@link SagaStage#build()}
     * @return the step
     */
    TuningStage<I> rejectOn(Class<?>... types);

    /**
     * Takes every business no of the action as one without effect, also after an attempt whose outcome is unknown: for participants that
     * remember keys, and would have answered with the first result. The step is not compensated then, and a pivot turns the saga.
     *
     * @return the step
     */
    TuningStage<I> rejectionIsDefinite();

    /**
     * Never calls the action again once it may have taken effect: for participants without keys. A doubt then means unknown, unless a
     * probe settles it: the saga turns and the step is compensated, a pivot parks.
     *
     * @return the step
     */
    TuningStage<I> atMostOnce();
}
