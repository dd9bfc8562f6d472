package io.backstep.saga.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs what it is given one after the other, on whichever thread gave the first of them; nobody waits. */
final class SerialQueue {
    private static final Logger log = LoggerFactory.getLogger(SerialQueue.class);

    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    void run(Runnable next) {
        queue.add(next);
        if (size.getAndIncrement() == 0) {
            do {
                runOne();
            } while (size.decrementAndGet() > 0);
        }
    }

    private void runOne() {
        Runnable next = queue.poll();
        try {
            if (next != null) {
                next.run();
            }
        } catch (Throwable e) {
            log.error("SAGA-ENGINE-006: a part of the engine failed", e);
        }
    }
}
