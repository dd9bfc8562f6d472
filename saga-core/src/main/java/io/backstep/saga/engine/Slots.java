package io.backstep.saga.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** A number of places; nobody waits for one here. */
final class Slots {
    private final int limit;
    private final AtomicInteger taken = new AtomicInteger();

    Slots(int limit) {
        this.limit = limit;
    }

    /** Takes a place if one is free. */
    boolean take() {
        int now = taken.get();
        while (now < limit) {
            if (taken.compareAndSet(now, now + 1)) {
                return true;
            }
            now = taken.get();
        }
        return false;
    }

    /** Takes a place that need not be there. */
    void takeAnyway() {
        taken.incrementAndGet();
    }

    void giveBack() {
        taken.decrementAndGet();
    }

    /** How many are free, less than zero when more are taken than there are. */
    int free() {
        return limit - taken.get();
    }
}
