package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;

/**
 * A complete step that has a compensation: both may be tuned, or the saga goes on.
 *
 * @param <I> the input of the saga
 */
public interface CompensationTuningStage<I> extends TuningStage<I> {
    @Override
    CompensationTuningStage<I> retry(Retry policy);

    @Override
    CompensationTuningStage<I> timeout(Duration longest);

    @Override
    CompensationTuningStage<I> rejectOn(Class<?>... types);

    @Override
    CompensationTuningStage<I> rejectionIsDefinite();

    @Override
    CompensationTuningStage<I> atMostOnce();

    /**
     * Whether the compensation runs in one database transaction with its record: exactly once.
     *
     * @param transactional as its action is, unless given
     * @return the step
     */
    CompensationTuningStage<I> compensationTransactional(boolean transactional);

    /**
     * How often, and how far apart, the compensation is tried. Where the policy does not limit the attempts, 10 times.
     *
     * @param policy the policy; unless given, exponential from 200 ms, at most 5 minutes apart
     * @return the step
     */
    CompensationTuningStage<I> compensationRetry(Retry policy);

    /**
     * Lets a compensation that was called wait for its effect: what it has asked for, such as a refund, is settled later, by whoever sends this signal. Until
     * then nothing else is compensated, and nothing is held. A rejection, or no answer in time, is a failed compensation that is not tried again: it
     * alerts, and the saga is parked once the others are done. An operator's retry calls the compensation again, with the same key.
     *
     * @param signal the name and the type of the signal, see {@code SagaClient.signal}; no step of this saga
     * @param timeout how long to wait for it, from the end of the call; more than zero, at most 366 days
     * @return the step
     */
    CompensationTuningStage<I> compensationAwaits(Step<?> signal, Duration timeout);

    /**
     * How long one attempt of the compensation may take, from its call.
     *
     * @param longest more than zero, at most 366 days; 1 minute unless given
     * @return the step
     */
    CompensationTuningStage<I> compensationTimeout(Duration longest);
}
