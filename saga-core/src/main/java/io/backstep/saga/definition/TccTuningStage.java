package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.time.Duration;

/**
 * A complete TCC step: its try, its confirm and its cancel, which is its compensation, may be tuned, or the saga goes on.
 *
 * @param <I> the input of the saga
 */
public interface TccTuningStage<I> extends CompensationTuningStage<I> {
    @Override
    TccTuningStage<I> retry(Retry policy);

    @Override
    TccTuningStage<I> timeout(Duration longest);

    @Override
    TccTuningStage<I> rejectOn(Class<?>... types);

    @Override
    TccTuningStage<I> rejectionIsDefinite();

    @Override
    TccTuningStage<I> atMostOnce();

    @Override
    TccTuningStage<I> compensationTransactional(boolean transactional);

    @Override
    TccTuningStage<I> compensationRetry(Retry policy);

    @Override
    TccTuningStage<I> compensationTimeout(Duration longest);

    @Override
    TccTuningStage<I> compensationAwaits(Step<?> signal, Duration timeout);

    /**
     * How often, and how far apart, the confirm is tried. Where the policy does not limit the attempts, without end; once they are spent
     * the saga is parked as {@code RETRIABLE_EXHAUSTED}.
     *
     * @param policy the policy; unless given, exponential from 200 ms, at most 5 minutes apart
     * @return the step
     */
    TccTuningStage<I> confirmRetry(Retry policy);

    /**
     * How long one attempt of the confirm may take, from its call.
     *
     * @param longest more than zero, at most 366 days; 1 minute unless given
     * @return the step
     */
    TccTuningStage<I> confirmTimeout(Duration longest);
}
