package io.backstep.saga.chaos;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The machine's time in a process whose own clock may be wrong on purpose: the monotonic clock, which all processes of a machine share,
 * and what somebody else has told it to stand for.
 *
 * @param offsetMicros the time since 1970 less the monotonic clock
 */
public record RealClock(long offsetMicros) {
    /**
     * Measures the offset where the clock is right.
     *
     * @return a clock for this machine
     */
    public static RealClock measured() {
        return new RealClock(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - System.nanoTime() / 1000);
    }

    /**
     * What time it is.
     *
     * @return the machine's time
     */
    public Instant now() {
        return Instant.EPOCH.plus(nowMicros(), ChronoUnit.MICROS);
    }

    long nowMicros() {
        return System.nanoTime() / 1000 + offsetMicros;
    }
}
