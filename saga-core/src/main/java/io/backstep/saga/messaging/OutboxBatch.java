package io.backstep.saga.messaging;

import java.util.List;

/**
 * Messages that a relay may send: of one lane, which nobody else sends from as long as the lease lasts.
 *
 * @param lane the lane
 * @param epoch the fence: raised whenever somebody takes the lane
 * @param rows what may be sent now, in the order of their positions; of each aggregate all up to some row, with none left out
 */
public record OutboxBatch(int lane, long epoch, List<OutboxRow> rows) {
    /** Copies the rows. */
    public OutboxBatch {
        rows = List.copyOf(rows);
    }
}
