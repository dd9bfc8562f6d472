package io.backstep.saga.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets one suspect run at a time: a step that has cost nodes their life before must not be mistaken for its neighbours. */
final class SuspectGate {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Runs {@code admitted} when the gate is free; it must be followed by {@link #leave()}. */
    void enter(Runnable admitted) {
        waiting.add(admitted);
        admitNext();
    }

    void leave() {
        taken.set(false);
        admitNext();
    }

    private void admitNext() {
        while (!waiting.isEmpty() && taken.compareAndSet(false, true)) {
            Runnable next = waiting.poll();
            if (next == null) {
                taken.set(false);
            } else {
                next.run();
                return;
            }
        }
    }
}
