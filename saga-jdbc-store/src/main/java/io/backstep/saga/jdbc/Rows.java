package io.backstep.saga.jdbc;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.Shown;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Parent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Calendar;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Result sets to records. */
final class Rows {
    private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

    private Rows() {}

    /** Unknown words are shown as FAILED, UNREADABLE. */
    static InstanceRow instance(ResultSet row) throws SQLException {
        return instance(row, Words.Standing.of(row));
    }

    static InstanceRow instance(ResultSet row, Words.Standing standing) throws SQLException {
        return new InstanceRow(
                id(row, "saga_id"),
                row.getInt("definition_id"),
                row.getString("name"),
                row.getInt("version"),
                parent(row),
                row.getString("business_key"),
                row.getString("input_hash"),
                standing.status(),
                standing.reason(),
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

    /** Unknown words are shown as FAILED, UNREADABLE. */
    static InstanceSummary summary(ResultSet row) throws SQLException {
        Words.Standing standing = Words.Standing.of(row);
        return new InstanceSummary(
                id(row, "saga_id"),
                row.getString("name"),
                row.getInt("version"),
                row.getString("business_key"),
                standing.status(),
                standing.reason(),
                row.getString("owner"),
                instant(row, "due_at"),
                required(row, "created_at"),
                required(row, "updated_at"));
    }

    /** A line with an unknown word keeps it in its text. */
    static HistoryRow history(ResultSet row) throws SQLException {
        Phase phase = Words.find(Phase.class, row.getString("phase"));
        Outcome outcome = Words.find(Outcome.class, row.getString("outcome"));
        Outcome shown = phase == null || outcome == null ? Outcome.UNREADABLE : outcome;
        boolean known = shown == outcome;
        HistoryEntry entry = new HistoryEntry(
                row.getString("step"),
                phase == null ? Phase.SAGA : phase,
                row.getInt("attempt"),
                shown,
                Words.readOrNull(SagaReason.class, row.getString("reason"), SagaReason.UNREADABLE),
                row.getString("result"),
                known ? row.getString("error_code") : "SAGA-DB-011",
                known ? row.getString("error_text") : unknownLine(row),
                Duration.ofNanos(row.getLong("duration") * 1000),
                row.getString("node"));
        return new HistoryRow(row.getLong("seq"), row.getInt("ordinal"), entry, required(row, "started_at"));
    }

    private static String unknownLine(ResultSet row) throws SQLException {
        String text = row.getString("error_text");
        return "phase " + Shown.quoted(row.getString("phase")) + ", outcome " + Shown.quoted(row.getString("outcome"))
                + (text == null ? "" : ": " + text);
    }

    static CompensationRow compensation(ResultSet row) throws SQLException {
        CompensationEntry entry = new CompensationEntry(
                row.getString("step"),
                row.getInt("position"),
                Words.read(CompensationEntry.Status.class, row.getString("status"), CompensationEntry.Status.FAILED),
                row.getInt("retry_count"),
                null,
                row.getString("request"),
                row.getString("response"),
                row.getString("last_error"));
        return new CompensationRow(
                entry, instant(row, "next_retry_at"), required(row, "created_at"), required(row, "updated_at"));
    }

    private static @Nullable Parent parent(ResultSet row) throws SQLException {
        return row.getObject("parent_id") == null
                ? null
                : new Parent(id(row, "parent_id"), row.getString("parent_step"), row.getString("parent_output"));
    }

    static UUID id(ResultSet row, String column) throws SQLException {
        Object value = row.getObject(column);
        return value instanceof byte[] bytes ? Binding.Bytes.id(bytes) : (UUID) value;
    }

    static @Nullable UUID parentId(NewInstance row) {
        return row.parent() == null ? null : row.parent().sagaId();
    }

    static @Nullable String parentStep(NewInstance row) {
        return row.parent() == null ? null : row.parent().step();
    }

    static @Nullable String parentOutput(NewInstance row) {
        return row.parent() == null ? null : row.parent().output();
    }

    /** In UTC also where the column itself names no zone. */
    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp time = row.getTimestamp(column, Calendar.getInstance(UTC));
        return time == null ? null : time.toInstant();
    }

    static Instant required(ResultSet row, String column) throws SQLException {
        Instant time = instant(row, column);
        if (time == null) {
            throw new SQLException(column + " is null");
        }
        return time;
    }

    static @Nullable String name(@Nullable Enum<?> constant) {
        return constant == null ? null : constant.name();
    }

    static @Nullable Long microsOrNull(@Nullable Duration duration) {
        return duration == null ? null : micros(duration);
    }

    static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), (duration.getNano() + 999) / 1000);
    }
}
