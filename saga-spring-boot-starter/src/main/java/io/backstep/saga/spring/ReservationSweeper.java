package io.backstep.saga.spring;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Releases reservations that have expired, on a thread of its own, while the application runs. */
final class ReservationSweeper implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(ReservationSweeper.class);

    private final IntSupplier sweep;
    private final @Nullable Duration interval;
    private @Nullable ScheduledExecutorService thread;

    /**
     * Makes it.
     *
     * @param sweep releases what has expired, and tells how many
     * @param interval between two sweeps; none when null
     */
    ReservationSweeper(IntSupplier sweep, @Nullable Duration interval) {
        this.sweep = sweep;
        this.interval = interval;
    }

    @Override
    public synchronized void start() {
        if (interval == null || thread != null) {
            return;
        }
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread made = new Thread(work, "saga-reservations");
            made.setDaemon(true);
            return made;
        });
        started.scheduleWithFixedDelay(this::sweep, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
        thread = started;
    }

    private void sweep() {
        try {
            int released = sweep.getAsInt();
            if (released > 0) {
                LOG.info("{} reservations had expired, and are released", released);
            }
        } catch (Throwable e) {
            LOG.warn("reservations that have expired could not be looked for; the next look is after {}", interval, e);
        }
    }

    /** A reservation that is being released is finished. */
    @Override
    public synchronized void stop() {
        ScheduledExecutorService running = thread;
        thread = null;
        if (running == null) {
            return;
        }
        running.shutdown();
        try {
            running.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    @Override
    public int getPhase() {
        return SagaLifecycle.PHASE + 1;
    }
}
