package io.backstep.saga.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A saga that the caller owns from now on.
 *
 * @param row the row after the claim: the new epoch, the new owner
 * @param takenOver whether somebody else still stood as its owner
 * @param age the time from its creation to the claim, by the database's clock
 * @param deadline its deadline, counted from its creation, or null
 * @param results the encoded results of its recorded actions, by step name
 * @param mail its new mail and what was kept of it, oldest first
 */
public record Claimed(
        InstanceRow row,
        boolean takenOver,
        Duration age,
        @Nullable Duration deadline,
        Map<String, String> results,
        List<Mail> mail) {
    /** Copies results and mail. */
    public Claimed {
        results = Map.copyOf(results);
        mail = List.copyOf(mail);
    }
}
