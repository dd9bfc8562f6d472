package io.backstep.saga.store;

import java.time.Instant;

/**
 * A stored line of the history.
 *
 * @param seq which write of the saga it came with
 * @param ordinal its place in that write, from 0
 * @param entry what it says
 * @param startedAt when the attempt began, by the database's clock
 */
public record HistoryRow(long seq, int ordinal, HistoryEntry entry, Instant startedAt) {
    /**
     * Where in the history of a saga a line stands.
     *
     * @param seq which write of the saga it came with
     * @param ordinal its place in that write, from 0
     */
    public record Place(long seq, int ordinal) {}

    /**
     * Where it stands.
     *
     * @return its place
     */
    public Place place() {
        return new Place(seq, ordinal);
    }
}
