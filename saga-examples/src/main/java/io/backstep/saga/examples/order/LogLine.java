package io.backstep.saga.examples.order;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A line of the saga log.
 *
 * @param seq which write it came with
 * @param step the step; empty for the saga as a whole
 * @param phase what it is about
 * @param attempt which attempt
 * @param outcome how it ended
 * @param why what went wrong, or why the saga turned or is parked
 * @param startedAt when it began
 * @param millis how long it took
 * @param node where it ran
 */
public record LogLine(
        long seq,
        String step,
        Phase phase,
        int attempt,
        Outcome outcome,
        @Nullable String why,
        Instant startedAt,
        long millis,
        String node) {
    static LogLine of(HistoryRow row) {
        HistoryEntry entry = row.entry();
        return new LogLine(
                row.seq(),
                entry.step(),
                entry.phase(),
                entry.attempt(),
                entry.outcome(),
                why(entry),
                row.startedAt(),
                entry.duration().toMillis(),
                entry.node());
    }

    private static @Nullable String why(HistoryEntry entry) {
        String code = entry.errorCode();
        String text = entry.errorText();
        if (code == null) {
            return entry.reason() == null ? text : entry.reason().name();
        }
        return text == null || text.startsWith(code) ? Objects.requireNonNullElse(text, code) : code + ": " + text;
    }
}
