package io.backstep.saga.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread on which the loop can run. Of all threads of a crew exactly one runs at any moment; the others wait in {@link #await},
 * either for the loop or, in the middle of an event, for the end of a {@link Sleep}.
 */
final class LoopThread extends Thread {
    /** The threads of one loop after the other. Only the thread that runs touches it. */
    static final class Crew {
        final Deque<LoopThread> idle = new ArrayDeque<>();
        private int made;

        LoopThread next() {
            LoopThread thread = idle.poll();
            if (thread == null) {
                thread = new LoopThread(this, ++made);
                thread.start();
            }
            return thread;
        }
    }

    final Crew crew;

    @Nullable
    SimNode node;

    @Nullable
    Sleep sleep;

    private @Nullable Loop loop;
    private volatile boolean go;

    private LoopThread(Crew crew, int number) {
        super("loop-" + number);
        this.crew = crew;
        setDaemon(true);
    }

    /** The node that the calling thread works for, or null. */
    static @Nullable SimNode nodeHere() {
        return Thread.currentThread() instanceof LoopThread thread ? thread.node : null;
    }

    /** Lets it run. The caller must wait, and touch nothing that is shared, from now on. */
    void go(Loop next) {
        loop = next;
        go = true;
        LockSupport.unpark(this);
    }

    void await() {
        while (!go) {
            LockSupport.park(this);
        }
        go = false;
    }

    @Override
    public void run() {
        while (true) {
            await();
            Loop mine = loop;
            if (mine != null) {
                mine.work(this);
            }
        }
    }

    /** An interrupt is an event like any other. */
    @Override
    public void interrupt() {
        Sleep current = sleep;
        Loop mine = loop;
        if (current != null && mine != null) {
            mine.wake(current, Sleep.End.INTERRUPT);
        }
    }
}
