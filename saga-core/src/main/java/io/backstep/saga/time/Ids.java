package io.backstep.saga.time;

import java.util.UUID;

/** Makes saga ids. */
@FunctionalInterface
public interface Ids {
    /**
     * Makes an id that was never made before. The production adapter makes UUIDs of version 7, which sort by time.
     *
     * @return the id
     */
    UUID next();
}
