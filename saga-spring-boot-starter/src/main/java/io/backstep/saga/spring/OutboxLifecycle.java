package io.backstep.saga.spring;

import io.backstep.saga.messaging.OutboxRelay;
import org.springframework.context.SmartLifecycle;

/** Starts the relay before the engine, and stops it after: what the last steps publish is still sent, as far as the time allows. */
final class OutboxLifecycle implements SmartLifecycle {
    private final OutboxRelay relay;
    private final FirstContact contact;
    private volatile boolean running;

    OutboxLifecycle(OutboxRelay relay, FirstContact contact) {
        this.relay = relay;
        this.contact = contact;
    }

    @Override
    public void start() {
        running = true;
        contact.need(this::begin);
    }

    /** It may be stopped by now. */
    private synchronized void begin() {
        if (running) {
            relay.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (running) {
            running = false;
            relay.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return SagaLifecycle.PHASE - 1;
    }

    /** A relay that was closed does not start again. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
