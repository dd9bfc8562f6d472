package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A saga as an operator meets it.
 *
 * @param row its row
 * @param now the database's time of the reading
 * @param mail its new mail and what was kept of it, oldest first
 * @param unknownStatus its status as it is stored, when this version does not know it (the row says FAILED then), else null
 * @param unknownReason its reason as it is stored, when this version does not know it (the row says UNREADABLE then), else null
 */
public record Inspected(
        InstanceRow row,
        Instant now,
        List<Mail> mail,
        @Nullable String unknownStatus,
        @Nullable String unknownReason) {
    /** Copies the mail. */
    public Inspected {
        mail = List.copyOf(mail);
    }

    /**
     * One whose words are all known.
     *
     * @param row its row
     * @param now the database's time of the reading
     * @param mail its new mail and what was kept of it, oldest first
     */
    public Inspected(InstanceRow row, Instant now, List<Mail> mail) {
        this(row, now, mail, null, null);
    }

    /**
     * Whether somebody holds it at this moment. What a status says of it does not matter.
     *
     * @return true while a lease lasts
     */
    public boolean held() {
        Instant due = row.dueAt();
        return row.owner() != null && due != null && due.isAfter(now);
    }

    /**
     * The saga's age.
     *
     * @return the time from its creation to the reading
     */
    public Duration age() {
        Duration age = Duration.between(row.createdAt(), now);
        return age.isNegative() ? Duration.ZERO : age;
    }
}
