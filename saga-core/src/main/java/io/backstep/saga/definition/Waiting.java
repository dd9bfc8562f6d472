package io.backstep.saga.definition;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a step waits for; nothing is held meanwhile.
 *
 * @param what what ends the wait
 * @param time how long: of a signal until it is given up, of a delay until it is over; null for without end
 */
public record Waiting(What what, @Nullable Duration time) {
    /** What ends a wait. */
    public enum What {
        /** An answer from outside, see {@code SagaClient.signal}. */
        SIGNAL,
        /** Time. */
        DELAY
    }
}
