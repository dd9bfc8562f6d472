package io.backstep.saga.spring;

import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Deletes the keys of requests whose time to live is over, as often as finished sagas are deleted, while the engine runs. */
final class IdempotencyRetention implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyRetention.class);

    /** Between two batches, so that live traffic comes first. */
    private static final Duration BREATH = Duration.ofMillis(50);

    private final IdempotencyStore store;
    private final Operators operators;
    private final RetentionPolicy pace;
    private final FirstContact contact;
    private volatile boolean running;
    private volatile Timer.Scheduled next = () -> {};

    IdempotencyRetention(IdempotencyStore store, Operators operators, RetentionPolicy pace, FirstContact contact) {
        this.store = store;
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
            more = running && store.purge(pace.batch()) == pace.batch();
        } catch (Throwable e) {
            if (!operators.isOutage()) { // of which the engine tells
                LOG.warn(
                        "SAGA-DB-014: keys of requests whose time is over could not be deleted; the next pass tries again",
                        e);
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
