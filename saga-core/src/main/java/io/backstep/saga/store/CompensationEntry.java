package io.backstep.saga.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code saga_compensation_log} to insert, or to bring up to date: one for each compensation of a saga.
 *
 * @param step the name of the step
 * @param position its place in the order of compensation, from 1
 * @param status where it stands
 * @param retryCount how many attempts after the first have begun or wait
 * @param nextRetryIn how long until the next attempt, or null
 * @param request what it is handed: the encoded result of the action, or null
 * @param response what the participant answered; null leaves what is there
 * @param lastError the last error, already cut and cleaned; null leaves what is there
 */
public record CompensationEntry(
        String step,
        int position,
        Status status,
        int retryCount,
        @Nullable Duration nextRetryIn,
        @Nullable String request,
        @Nullable String response,
        @Nullable String lastError) {
    /** Where a compensation stands. */
    public enum Status {
        /** Its turn has not come. */
        PENDING,
        /** Under way. */
        RUNNING,
        /** Waits for its next attempt. */
        WAITING,
        /** Done. */
        SUCCEEDED,
        /** Spent or rejected; needs an operator. */
        FAILED
    }
}
