package io.backstep.saga.chaos;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Something bad that is done again and again. */
final class Fault {
    private static final Logger log = LoggerFactory.getLogger(Fault.class);

    /** What is done. */
    interface Act {
        void once() throws Exception;
    }

    private final LongSupplier pauseMillis;
    private final Act act;
    private final Injected injected;
    private final Thread thread;
    private volatile boolean stopped;

    /** Waits before each time for as long as it is told. */
    Fault(String name, LongSupplier pauseMillis, Act act, Injected injected) {
        this.pauseMillis = pauseMillis;
        this.act = act;
        this.injected = injected;
        this.thread = new Thread(this::repeat, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stopped = true;
    }

    void awaitEnd() throws InterruptedException {
        thread.join();
    }

    private void repeat() {
        while (!stopped) {
            try {
                if (waited(pauseMillis.getAsLong())) {
                    act.once();
                }
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                injected.add("could not be made: " + thread.getName(), 1);
                log.warn("fault {} could not be made", thread.getName(), e);
            }
        }
    }

    /** False when it is stopped meanwhile; what is under way is never broken off. */
    private boolean waited(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!stopped && System.nanoTime() < end) {
            Thread.sleep(Math.min(20, millis));
        }
        return !stopped;
    }
}
