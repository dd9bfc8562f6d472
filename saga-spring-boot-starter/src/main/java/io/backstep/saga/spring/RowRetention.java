package io.backstep.saga.spring;

import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Deletes what participants need no longer, batch by batch, as often as finished sagas are deleted, while the engine runs. */
final class RowRetention implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(RowRetention.class);

    /** Between two batches, so that live traffic comes first. */
    private static final Duration BREATH = Duration.ofMillis(50);

    /** Deletes some rows. */
    interface Batch {
        /** Gives how many it has found: fewer than the limit when no more are left. */
        int delete(int limit) throws Exception;
    }

    private final String what;
    private final Batch rows;
    private final Operators operators;
    private final RetentionPolicy pace;
    private final FirstContact contact;
    private volatile boolean running;
    private volatile Timer.Scheduled next = () -> {};

    RowRetention(String what, Batch rows, Operators operators, RetentionPolicy pace, FirstContact contact) {
        this.what = what;
        this.rows = rows;
        this.operators = operators;
        this.pace = pace;
        this.contact = contact;
    }

    @Override
    public void start() {
        running = true;
        contact.need(() -> schedule(operators.spread(pace.interval().dividedBy(10))));
    }

    private synchronized void schedule(Duration pause) {
        if (running) {
            next = operators.later(pause, this::batch);
        }
    }

    private void batch() {
        boolean more = false;
        try {
            more = running && rows.delete(pace.batch()) == pace.batch();
        } catch (Throwable e) {
            if (!operators.isOutage()) { // of which the engine tells
                LOG.warn("SAGA-DB-014: {} could not be deleted; the next pass tries again", what, e);
            }
        } finally {
            schedule(more ? BREATH : operators.spread(pace.interval()));
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        next.cancel();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return SagaLifecycle.PHASE + 1;
    }
}
