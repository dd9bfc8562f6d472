package io.backstep.saga.engine;

import java.time.Duration;

/**
 * Reckons the age of a saga by the database's clock from one answer of the database and this node's monotonic clock. The answer was
 * made at an unknown moment between sending and receiving, so there are two readings.
 *
 * @param age the age in the answer
 * @param sent nanoseconds of the monotonic clock before the question was sent
 * @param received nanoseconds of the monotonic clock after the answer came
 */
record InstanceClock(Duration age, long sent, long received) {
    /** Never later than the database's: with it nothing happens early. */
    Duration earliest(long nanos) {
        return age.plusNanos(nanos - received);
    }

    /** Never earlier than the database's: delays count from it. */
    Duration latest(long nanos) {
        return age.plusNanos(nanos - sent);
    }
}
