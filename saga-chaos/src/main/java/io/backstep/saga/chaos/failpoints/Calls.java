package io.backstep.saga.chaos.failpoints;

import org.jspecify.annotations.Nullable;

/** Which call of the store the calling thread is in, so that a COMMIT has a name. */
final class Calls {
    @SuppressWarnings("ThreadLocalUsage") // one per node and case
    private final ThreadLocal<@Nullable String> own = new ThreadLocal<>();

    @SuppressWarnings("ThreadLocalUsage") // one per node and case
    private final ThreadLocal<@Nullable String> joined = new ThreadLocal<>();

    /** The store's answer may come inside, and lead to other calls: each has its name. */
    void own(String name, Runnable call) {
        String outer = own.get();
        own.set(name);
        try {
            call.run();
        } finally {
            own.set(outer);
        }
    }

    /** The first one names the caller's transaction. */
    void joined(String name) {
        if (own.get() == null && joined.get() == null) {
            joined.set(name);
        }
    }

    /** Whose COMMIT comes now, or null when it is the application's own. */
    @Nullable
    String committing() {
        String of = own.get();
        return of == null ? joined.get() : of;
    }

    void transactionEnds() {
        joined.remove();
    }
}
