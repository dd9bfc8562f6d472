package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Told what happens to sagas on this node, after it was committed. Called on the engine's threads: be quick. What a method throws is
 * logged and never disturbs a saga. A crash between commit and call loses the call.
 */
public interface SagaListener {
    /**
     * A saga was started on this node.
     *
     * @param saga as it was inserted
     */
    default void started(SagaInstance saga) {}

    /**
     * An attempt of a condition, an action, a probe or a compensation ended.
     *
     * @param saga as it is recorded now
     * @param attempt how it ended
     */
    default void attemptEnded(SagaInstance saga, Attempt attempt) {}

    /**
     * A saga turned, was parked, resumed or ended.
     *
     * @param saga as it is recorded now
     * @param before the status before
     * @param age the time since it was started, by the database's clock
     */
    default void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {}

    /**
     * A compensation is over: done, spent or rejected.
     *
     * @param saga as it is recorded now
     * @param step the step
     * @param succeeded whether it is undone
     * @param retries how many attempts there were after the first
     */
    default void compensationEnded(SagaInstance saga, String step, boolean succeeded, int retries) {}

    /**
     * A signal was sent here: told on the caller's thread, once its transaction, if there is one, has committed. Or a signal that was sent, wherever that
     * was, has come too late after all, as its saga has turned or ended, or another signal was first: told once more, as {@code TOO_LATE},
     * after it was recorded, on the node that has the saga, or any one when it has ended.
     *
     * @param sagaName the name of the saga's type; null when it is not known
     * @param step the step that it is for
     * @param outcome what became of it
     */
    default void signalled(@Nullable String sagaName, String step, SignalOutcome outcome) {}

    /**
     * This node has lost a saga before it was done with it: its lease ran out and another has taken it, or an operator has. What it
     * still does for the saga is refused.
     *
     * @param saga as this node knew it last
     */
    default void leaseLost(SagaInstance saga) {}

    /**
     * An attempt that ended.
     *
     * @param step the step
     * @param phase action or compensation
     * @param number 1 for the first
     * @param outcome how it ended
     * @param duration how long it took
     * @param errorCode the service's code of a rejection, the class of an exception, or the code that says why the result of a success
     *     is not kept; or null
     */
    record Attempt(
            String step,
            Phase phase,
            int number,
            Outcome outcome,
            Duration duration,
            @Nullable String errorCode) {}
}
