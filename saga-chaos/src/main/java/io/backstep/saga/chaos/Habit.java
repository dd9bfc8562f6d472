package io.backstep.saga.chaos;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Something that a node does again and again, whatever became of it the last time. */
final class Habit {
    private static final Logger log = LoggerFactory.getLogger(Habit.class);

    /** What is done. */
    interface Act {
        void once() throws Exception;
    }

    private final double perSecond;
    private final Act act;
    private final Thread thread;
    private volatile boolean stopped;

    Habit(String name, double perSecond, Act act) {
        this.perSecond = perSecond;
        this.act = act;
        this.thread = new Thread(this::repeat, name);
        thread.setDaemon(true);
    }

    void start() {
        if (perSecond > 0) {
            thread.start();
        }
    }

    void stop() {
        stopped = true;
        thread.interrupt();
    }

    private void repeat() {
        while (!stopped) {
            try {
                act.once();
            } catch (Exception e) {
                log.debug("{} failed", thread.getName(), e);
            }
            try {
                TimeUnit.MICROSECONDS.sleep((long) (1_000_000 / perSecond));
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
