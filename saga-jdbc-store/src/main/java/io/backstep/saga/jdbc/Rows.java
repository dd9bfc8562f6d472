package io.backstep.saga.jdbc;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Result sets to records. */
final class Rows {
    private Rows() {}

    static InstanceRow instance(ResultSet row) throws SQLException {
        String reason = row.getString("reason");
        return new InstanceRow(
                row.getObject("saga_id", UUID.class),
                row.getInt("definition_id"),
                row.getString("name"),
                row.getInt("version"),
                row.getString("business_key"),
                row.getString("input_hash"),
                SagaStatus.valueOf(row.getString("status")),
                reason == null ? null : SagaReason.valueOf(reason),
                row.getString("steps"),
                row.getString("input"),
                row.getInt("format"),
                row.getLong("epoch"),
                row.getLong("seq"),
                row.getString("owner"),
                instant(row, "due_at"),
                instant(row, "deadline"),
                required(row, "created_at"),
                required(row, "updated_at"));
    }

    static HistoryRow history(ResultSet row) throws SQLException {
        String reason = row.getString("reason");
        HistoryEntry entry = new HistoryEntry(
                row.getString("step"),
                Phase.valueOf(row.getString("phase")),
                row.getInt("attempt"),
                Outcome.valueOf(row.getString("outcome")),
                reason == null ? null : SagaReason.valueOf(reason),
                row.getString("result"),
                row.getString("error_code"),
                row.getString("error_text"),
                Duration.ofNanos(row.getLong("duration") * 1000),
                row.getString("node"));
        return new HistoryRow(row.getLong("seq"), row.getInt("ordinal"), entry, required(row, "started_at"));
    }

    static CompensationRow compensation(ResultSet row) throws SQLException {
        CompensationEntry entry = new CompensationEntry(
                row.getString("step"),
                row.getInt("position"),
                CompensationEntry.Status.valueOf(row.getString("status")),
                row.getInt("retry_count"),
                null,
                row.getString("request"),
                row.getString("response"),
                row.getString("last_error"));
        return new CompensationRow(
                entry, instant(row, "next_retry_at"), required(row, "created_at"), required(row, "updated_at"));
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static Instant required(ResultSet row, String column) throws SQLException {
        Instant time = instant(row, column);
        if (time == null) {
            throw new SQLException(column + " is null");
        }
        return time;
    }

    static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), (duration.getNano() + 999) / 1000);
    }
}
