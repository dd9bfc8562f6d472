package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaRetention;
import org.springframework.context.SmartLifecycle;

/** Starts and stops what deletes sagas that ended long ago: while the engine runs. */
final class RetentionLifecycle implements SmartLifecycle {
    private final SagaRetention retention;
    private final FirstContact contact;
    private volatile boolean running;

    RetentionLifecycle(SagaRetention retention, FirstContact contact) {
        this.retention = retention;
        this.contact = contact;
    }

    @Override
    public void start() {
        running = true;
        contact.need(this::begin);
    }

    /** The engine runs by now, and this may be stopped by now. */
    private synchronized void begin() {
        if (running) {
            retention.start();
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        retention.close();
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
