package io.backstep.saga.examples.order;

import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the compensation log.
 *
 * @param step what is undone
 * @param position its place in the order of compensation, from 1
 * @param status where it stands
 * @param retries how many attempts there were after the first
 * @param nextRetryAt when the next one is due
 * @param lastError what went wrong last
 */
public record UndoLine(
        String step,
        int position,
        CompensationEntry.Status status,
        int retries,
        @Nullable Instant nextRetryAt,
        @Nullable String lastError) {
    static UndoLine of(CompensationRow row) {
        CompensationEntry entry = row.entry();
        return new UndoLine(
                entry.step(),
                entry.position(),
                entry.status(),
                entry.retryCount(),
                row.nextRetryAt(),
                entry.lastError());
    }
}
