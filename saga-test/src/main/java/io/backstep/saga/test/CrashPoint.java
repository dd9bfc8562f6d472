package io.backstep.saga.test;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts the writes and the calls of a node, and says which of them is interrupted, and how. */
final class CrashPoint {
    /** What could be interrupted: a write, or a call of a participant. */
    record Place(String what, boolean start, boolean transaction) {}

    /** Interrupts nothing. */
    static CrashPoint none() {
        return new CrashPoint(null, 0);
    }

    private final @Nullable Interruption kind;
    private final int number;
    private final List<Place> writes = new ArrayList<>();
    private final List<Place> calls = new ArrayList<>();

    CrashPoint(@Nullable Interruption kind, int number) {
        this.kind = kind;
        this.number = number;
    }

    /** A write begins; what is done to it, or null. */
    @Nullable
    Interruption write(Place place) {
        writes.add(place);
        return writes.size() == number && kind != Interruption.STOPS_BEFORE_CALL ? kind : null;
    }

    /** A participant is about to be called; whether the node stops before. */
    boolean stopsBefore(String what) {
        calls.add(new Place(what, false, false));
        return calls.size() == number && kind == Interruption.STOPS_BEFORE_CALL;
    }

    List<Place> writes() {
        return writes;
    }

    List<Place> calls() {
        return calls;
    }
}
