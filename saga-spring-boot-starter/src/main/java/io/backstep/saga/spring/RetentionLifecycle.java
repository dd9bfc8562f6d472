package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaRetention;
import org.springframework.context.SmartLifecycle;

/** Starts and stops what deletes sagas that ended long ago: while the engine runs. */
final class RetentionLifecycle implements SmartLifecycle {
    private final SagaRetention retention;
    private volatile boolean running;

    RetentionLifecycle(SagaRetention retention) {
        this.retention = retention;
    }

    @Override
    public void start() {
        retention.start();
        running = true;
    }

    @Override
    public void stop() {
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
