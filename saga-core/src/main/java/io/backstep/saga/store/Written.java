package io.backstep.saga.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a batch of progress and starts that was committed.
 *
 * @param progress one answer for each mutation, in order
 * @param starts one result for each new saga, in order
 */
public record Written(List<Acceptance> progress, List<InsertResult> starts) {
    /**
     * Makes one of two lists of which one may be missing.
     *
     * @param progress the answers for mutations, or null
     * @param starts the results of inserts, or null
     * @return both, or null when one is missing
     */
    public static @Nullable Written of(@Nullable List<Acceptance> progress, @Nullable List<InsertResult> starts) {
        return progress == null || starts == null ? null : new Written(progress, starts);
    }
}
