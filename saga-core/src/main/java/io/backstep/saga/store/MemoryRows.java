package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Makes the rows of the in-memory store: what a database would compute in its statements. */
final class MemoryRows {
    private MemoryRows() {}

    static InstanceRow inserted(NewInstance instance, Instant now) {
        Lease lease = instance.lease();
        boolean active = instance.status().active();
        RegisteredDefinition definition = instance.definition();
        return new InstanceRow(
                instance.sagaId(),
                definition.definitionId(),
                definition.name(),
                definition.version(),
                instance.parent(),
                instance.businessKey(),
                instance.inputHash(),
                instance.status(),
                null,
                instance.steps(),
                instance.input(),
                instance.format(),
                lease == null ? 0 : 1,
                0,
                active && lease != null ? lease.owner() : null,
                active ? after(now, instance.due()) : null,
                instance.deadline() == null ? null : after(now, instance.deadline()),
                now,
                now);
    }

    static InstanceRow written(InstanceRow row, Mutation mutation, Instant now) {
        Hold hold = mutation.hold();
        boolean keepsOwner = hold.kind() == Hold.Kind.KEEP || hold.kind() == Hold.Kind.EXTEND;
        return new InstanceRow(
                row.sagaId(),
                row.definitionId(),
                row.name(),
                row.version(),
                row.parent(),
                row.businessKey(),
                row.inputHash(),
                mutation.status(),
                mutation.reason(),
                mutation.steps() == null ? row.steps() : mutation.steps(),
                row.input(),
                row.format(),
                row.epoch(),
                row.seq() + 1,
                keepsOwner ? row.owner() : null,
                dueAt(row, hold, now),
                row.deadline(),
                row.createdAt(),
                now);
    }

    static InstanceRow held(InstanceRow row, long epoch, Lease lease, Instant now) {
        return changed(row, epoch, lease.owner(), after(now, lease.duration()), row.deadline(), now);
    }

    /** A longer lease writes nothing of the saga. */
    static InstanceRow renewed(InstanceRow row, Lease lease, Instant now) {
        return changed(row, row.epoch(), lease.owner(), after(now, lease.duration()), row.deadline(), row.updatedAt());
    }

    private static InstanceRow changed(
            InstanceRow row,
            long epoch,
            @Nullable String owner,
            @Nullable Instant dueAt,
            @Nullable Instant deadline,
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
                row.steps(),
                row.input(),
                row.format(),
                epoch,
                row.seq(),
                owner,
                dueAt,
                deadline,
                row.createdAt(),
                updatedAt);
    }

    static InstanceRow operated(InstanceRow row, OperatorWrite write, Instant now) {
        InstanceRow written = versioned(written(row, write.mutation(), now), write.version());
        return changed(
                written, row.epoch() + 1, null, written.dueAt(), write.liftDeadline() ? null : written.deadline(), now);
    }

    private static InstanceRow versioned(InstanceRow row, @Nullable NewVersion version) {
        return version == null
                ? row
                : new InstanceRow(
                        row.sagaId(),
                        version.definition().definitionId(),
                        row.name(),
                        version.definition().version(),
                        row.parent(),
                        row.businessKey(),
                        version.inputHash(),
                        row.status(),
                        row.reason(),
                        row.steps(),
                        version.input(),
                        row.format(),
                        row.epoch(),
                        row.seq(),
                        row.owner(),
                        row.dueAt(),
                        row.deadline(),
                        row.createdAt(),
                        row.updatedAt());
    }

    static InstanceRow due(InstanceRow row, Instant now) {
        return changed(row, row.epoch(), row.owner(), now, row.deadline(), now);
    }

    static InstanceSummary summary(InstanceRow row) {
        return new InstanceSummary(
                row.sagaId(),
                row.name(),
                row.version(),
                row.businessKey(),
                row.status(),
                row.reason(),
                row.owner(),
                row.dueAt(),
                row.createdAt(),
                row.updatedAt());
    }

    static HistoryRow history(long seq, int ordinal, HistoryEntry entry, Instant now) {
        return new HistoryRow(seq, ordinal, entry, now.minus(entry.duration()).truncatedTo(ChronoUnit.MICROS));
    }

    static CompensationRow compensation(CompensationEntry entry, @Nullable CompensationRow before, Instant now) {
        CompensationEntry stored = new CompensationEntry(
                entry.step(),
                entry.position(),
                entry.status(),
                entry.retryCount(),
                null,
                entry.request(),
                orBefore(
                        entry.response(), before == null ? null : before.entry().response()),
                orBefore(
                        entry.lastError(),
                        before == null ? null : before.entry().lastError()));
        Duration nextRetryIn = entry.nextRetryIn();
        return new CompensationRow(
                stored,
                nextRetryIn == null ? null : after(now, nextRetryIn),
                before == null ? now : before.createdAt(),
                now);
    }

    private static @Nullable String orBefore(@Nullable String text, @Nullable String before) {
        return text == null ? before : text;
    }

    private static @Nullable Instant dueAt(InstanceRow row, Hold hold, Instant now) {
        return switch (hold.kind()) {
            case KEEP -> row.dueAt();
            case END -> null;
            case EXTEND, RELEASE -> after(now, hold.duration() == null ? Duration.ZERO : hold.duration());
        };
    }

    /** Rounds up to microseconds, so that nothing is due early. */
    private static Instant after(Instant now, Duration duration) {
        Instant exact = now.plus(duration);
        Instant cut = exact.truncatedTo(ChronoUnit.MICROS);
        return cut.equals(exact) ? exact : cut.plus(1, ChronoUnit.MICROS);
    }
}
