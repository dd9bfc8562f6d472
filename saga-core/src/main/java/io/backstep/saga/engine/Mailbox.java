package io.backstep.saga.engine;

import io.backstep.saga.store.Mail;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lets each message of a saga through once, though it is found again until a write has merged it. Used in the saga's queue only. */
final class Mailbox {
    private final Set<String> known = new HashSet<>();
    private final long taken;

    /**
     * Of a saga that has just been taken, with its new mail.
     *
     * @param sweeps how many sweeps had been begun by then: what they find may have been merged before
     */
    Mailbox(long sweeps) {
        this.taken = sweeps;
    }

    List<Mail> fresh(List<Mail> letters) {
        return letters.stream().filter(letter -> known.add(letter.messageId())).toList();
    }

    /** What the so-manieth sweep has found. */
    List<Mail> fresh(List<Mail> letters, long sweep) {
        return sweep > taken ? fresh(letters) : List.of();
    }

    /** Forgets what has come: none of it is merged. */
    void clear() {
        known.clear();
    }
}
