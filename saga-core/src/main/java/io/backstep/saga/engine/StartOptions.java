package io.backstep.saga.engine;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.Shown;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How a saga is started. Immutable; each verb gives a changed copy. */
public final class StartOptions {
    static final Duration LONGEST = Duration.ofDays(366);
    private static final StartOptions NONE = new StartOptions(null, null, null, null, 0);

    private final @Nullable String businessKey;
    private final @Nullable UUID sagaId;
    private final @Nullable Duration deadline;
    private final @Nullable Instant startAt;
    private final int version;

    private StartOptions(
            @Nullable String businessKey,
            @Nullable UUID sagaId,
            @Nullable Duration deadline,
            @Nullable Instant startAt,
            int version) {
        this.businessKey = businessKey;
        this.sagaId = sagaId;
        this.deadline = deadline;
        this.startAt = startAt;
        this.version = version;
    }

    /**
     * Nothing special: no business key, an id of its own, the definition's deadline, the highest registered version.
     *
     * @return the options
     */
    public static StartOptions none() {
        return NONE;
    }

    /**
     * One saga per type and key: a second start with the same input returns the first instance.
     *
     * @param key 1 to 200 characters; case, spaces and Unicode form matter; no control characters
     * @return the options
     * @throws SagaStartException {@code SAGA-START-003} for a bad key
     */
    public static StartOptions businessKey(String key) {
        if (key == null
                || key.isBlank()
                || key.length() > 200
                || key.codePoints().anyMatch(StartOptions::unstorable)) {
            throw new SagaStartException(
                    "SAGA-START-003",
                    "the business key is " + Shown.quoted(key)
                            + "; allowed are 1 to 200 characters, not blank, no control characters or lone surrogates");
        }
        return new StartOptions(key, null, null, null, 0);
    }

    private static boolean unstorable(int c) {
        return Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE;
    }

    /**
     * Overrides the definition's deadline.
     *
     * @param fromStart more than zero, at most 366 days, counted from the start, or from {@link #startAt} when that is later
     * @return a changed copy
     * @throws SagaStartException {@code SAGA-START-004} for a bad deadline
     */
    public StartOptions deadline(Duration fromStart) {
        if (fromStart == null || fromStart.isNegative() || fromStart.isZero() || fromStart.compareTo(LONGEST) > 0) {
            throw new SagaStartException(
                    "SAGA-START-004", "the deadline is " + fromStart + "; allowed is more than zero, at most 366 days");
        }
        return new StartOptions(businessKey, sagaId, fromStart, startAt, version);
    }

    /**
     * Lets it begin later: it exists at once, and no step begins before this time, by the database's clock. Nothing is held meanwhile.
     *
     * @param time not before which; a time in the past is now; at most 366 days from now, checked by the start
     * @return a changed copy
     */
    public StartOptions startAt(Instant time) {
        return new StartOptions(businessKey, sagaId, deadline, time, version);
    }

    /**
     * Chooses the id. Starting the same id again with the same type and input returns the first instance.
     *
     * @param id the id; time-ordered ones (version 7) are kindest to the database
     * @return a changed copy
     */
    public StartOptions sagaId(UUID id) {
        return new StartOptions(businessKey, id, deadline, startAt, version);
    }

    /**
     * Chooses the version.
     *
     * @param number a registered version, at least 1
     * @return a changed copy
     * @throws SagaStartException {@code SAGA-START-005} for less than 1
     */
    public StartOptions version(int number) {
        if (number < 1) {
            throw new SagaStartException("SAGA-START-005", "the version is " + number + "; allowed is at least 1");
        }
        return new StartOptions(businessKey, sagaId, deadline, startAt, number);
    }

    @Nullable
    String key() {
        return businessKey;
    }

    @Nullable
    UUID id() {
        return sagaId;
    }

    @Nullable
    Duration deadline() {
        return deadline;
    }

    @Nullable
    Instant startAt() {
        return startAt;
    }

    int version() {
        return version;
    }
}
