package io.backstep.saga.admin;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * How long sagas that have ended are kept. A parked saga is never deleted, and what no age is given for is kept for ever.
 *
 * @param ages how long since their last write, by status; at least a minute each
 * @param interval how long to wait between two passes through the table, at least a second
 * @param batch how many rows one transaction looks at, 1 to 10,000
 */
public record RetentionPolicy(Map<SagaStatus, Duration> ages, Duration interval, int batch) {
    private static final int LARGEST_BATCH = 10_000;

    /**
     * Checks the values.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-013} when one is out of range
     */
    public RetentionPolicy {
        ages = Map.copyOf(ages);
        ages.forEach((status, age) -> {
            if (!status.ended()) {
                throw wrong(property(status) + " is no setting: sagas that are " + status
                        + " are never deleted; COMPLETED, COMPENSATED, FORCE_COMPLETED are");
            }
            if (age.compareTo(Duration.ofMinutes(1)) < 0) {
                throw wrong(property(status) + " is " + age + "; at least PT1M is allowed");
            }
        });
        if (interval.compareTo(Duration.ofSeconds(1)) < 0) {
            throw wrong("interval is " + interval + "; at least PT1S is allowed");
        }
        if (batch < 1 || batch > LARGEST_BATCH) {
            throw wrong("batch-size is " + batch + "; 1 to " + LARGEST_BATCH + " is allowed");
        }
    }

    /**
     * The same age for all that have ended, a pass each hour, 1,000 rows at a time.
     *
     * @param age how long they are kept
     * @return the policy
     */
    public static RetentionPolicy keep(Duration age) {
        Map<SagaStatus, Duration> ages = new EnumMap<>(SagaStatus.class);
        for (SagaStatus status : SagaStatus.values()) {
            if (status.ended()) {
                ages.put(status, age);
            }
        }
        return new RetentionPolicy(ages, Duration.ofHours(1), 1000);
    }

    private static SagaConfigurationException wrong(String what) {
        return new SagaConfigurationException("SAGA-CFG-013", "saga.retention." + what);
    }

    private static String property(SagaStatus status) {
        return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
