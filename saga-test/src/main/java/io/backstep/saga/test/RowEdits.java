package io.backstep.saga.test;

import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rows as somebody with a database prompt could change them, for stores that keep them in memory. */
public final class RowEdits {
    private RowEdits() {}

    /**
     * As if the saga had been written earlier.
     *
     * @param row a row
     * @param by how much earlier
     * @return the same with all its times earlier
     */
    public static InstanceRow older(InstanceRow row, Duration by) {
        return changed(
                row,
                row.steps(),
                back(row.dueAt(), by),
                back(row.deadline(), by),
                row.createdAt().minus(by),
                row.updatedAt().minus(by));
    }

    /**
     * With other step states.
     *
     * @param row a row
     * @param steps any text
     * @return the same with these steps
     */
    public static InstanceRow withSteps(InstanceRow row, String steps) {
        return changed(row, steps, row.dueAt(), row.deadline(), row.createdAt(), row.updatedAt());
    }

    private static @Nullable Instant back(@Nullable Instant instant, Duration by) {
        return instant == null ? null : instant.minus(by);
    }

    private static InstanceRow changed(
            InstanceRow row,
            String steps,
            @Nullable Instant dueAt,
            @Nullable Instant deadline,
            Instant createdAt,
            Instant updatedAt) {
        return new InstanceRow(
                row.sagaId(),
                row.definitionId(),
                row.name(),
                row.version(),
                row.parent(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.reason(),
                steps,
                row.input(),
                row.format(),
                row.epoch(),
                row.seq(),
                row.owner(),
                dueAt,
                deadline,
                createdAt,
                updatedAt);
    }
}
