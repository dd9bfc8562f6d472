package io.backstep.saga.messaging;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.definition.Retry;
import java.time.Duration;

/**
 * The settings of a relay.
 *
 * @param pollInterval how often it looks for messages that it was not told of; 10 ms to 1 hour
 * @param lease how long a lane is its own without a word: so long wait the messages of a lane whose relay died; 1 second to 1 hour
 * @param sendTimeout how long the broker may take to confirm a message before it counts as sent in vain; more than zero, at most a third of the lease
 * @param batchSize how many messages of a lane are read at once, 1 to 10,000
 * @param lanes how many lanes are sent from at once, 1 to 16
 * @param retry how far apart, and how often, a message is sent in vain before it waits for a person; what its {@code rejectOn} names is not tried again
 */
public record RelaySettings(
        Duration pollInterval, Duration lease, Duration sendTimeout, int batchSize, int lanes, Retry retry) {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int LARGEST_BATCH = 10_000;

    /** Polls each half second, lanes for 30 seconds, 10 seconds for a confirmation, 500 messages of 4 lanes, some hours of retries. */
    public static final RelaySettings DEFAULT = new RelaySettings(
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            500,
            4,
            Retry.exponential(Duration.ofSeconds(1)).maxAttempts(50));

    /**
     * Checks the values.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-023} when one is out of range
     */
    public RelaySettings {
        require(isBetween(Duration.ofMillis(10), pollInterval), "poll-interval", pollInterval, "PT0.01S to PT1H");
        require(isBetween(Duration.ofSeconds(1), lease), "lease", lease, "PT1S to PT1H");
        boolean fits = isBetween(Duration.ofNanos(1), sendTimeout)
                && sendTimeout.multipliedBy(3).compareTo(lease) <= 0;
        require(fits, "send-timeout", sendTimeout, "more than zero, at most a third of the lease of " + lease);
        require(batchSize >= 1 && batchSize <= LARGEST_BATCH, "batch-size", batchSize, "1 to " + LARGEST_BATCH);
        require(lanes >= 1 && lanes <= OutboxStore.LANES, "lanes", lanes, "1 to " + OutboxStore.LANES);
    }

    private static boolean isBetween(Duration least, Duration value) {
        return value.compareTo(least) >= 0 && value.compareTo(HOUR) <= 0;
    }

    private static void require(boolean holds, String name, Object value, String allowed) {
        if (!holds) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-023", "saga.outbox." + name + " is " + value + "; allowed is " + allowed);
        }
    }

    /**
     * The same with another poll interval.
     *
     * @param interval the interval
     * @return a changed copy
     */
    public RelaySettings pollInterval(Duration interval) {
        return new RelaySettings(interval, lease, sendTimeout, batchSize, lanes, retry);
    }

    /**
     * The same with another retry policy.
     *
     * @param policy the policy
     * @return a changed copy
     */
    public RelaySettings retry(Retry policy) {
        return new RelaySettings(pollInterval, lease, sendTimeout, batchSize, lanes, policy);
    }
}
