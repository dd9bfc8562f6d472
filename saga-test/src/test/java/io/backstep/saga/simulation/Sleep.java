package io.backstep.saga.simulation;

import org.jspecify.annotations.Nullable;

/** A thread that waits in virtual time, in the middle of an event. */
final class Sleep {
    enum End {
        TIME,
        SIGNAL,
        INTERRUPT,
        GONE
    }

    final LoopThread thread;
    final @Nullable SimNode owner;

    @Nullable
    End end;

    boolean woken;

    Sleep(LoopThread thread) {
        this.thread = thread;
        this.owner = thread.node;
    }
}
