package io.backstep.saga.store;

import java.util.List;

/**
 * Asks for due sagas.
 *
 * @param lease for whom and how long
 * @param limit how many at most; the store never takes more
 * @param definitionIds which definitions the node knows; fair among them: while any of them has due sagas left, none gets more
 *     than its share of the limit ahead of them
 */
public record ClaimRequest(Lease lease, int limit, List<Integer> definitionIds) {
    /** Copies the ids. */
    public ClaimRequest {
        definitionIds = List.copyOf(definitionIds);
    }
}
