package io.backstep.saga.simulation;

import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happened, as a hash, and as lines where somebody wants to read them. */
final class Trace {
    private final @Nullable PrintStream out;
    private LongSupplier now = () -> 0;
    private long hash = 0xcbf29ce484222325L;

    Trace(@Nullable PrintStream out) {
        this.out = out;
    }

    void clock(LongSupplier time) {
        now = time;
    }

    long hash() {
        return hash;
    }

    void mix(long value) {
        hash = (hash ^ value ^ (now.getAsLong() * 31)) * 0x100000001b3L;
        hash ^= hash >>> 29;
    }

    void line(Supplier<String> text) {
        if (out != null) {
            out.printf("%12.6f  %s%n", now.getAsLong() / 1e9, text.get());
        }
    }
}
