package io.backstep.saga.spring;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * Closed until the application is ready to run sagas that others started. First of all listeners, because another one may wait for
 * such a saga; and not for ever, because a runner that never returns keeps an application from being ready.
 */
final class ReadyGate implements ApplicationListener<ApplicationReadyEvent>, Ordered {
    private static final Logger LOG = LoggerFactory.getLogger(ReadyGate.class);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private volatile boolean open;
    private volatile long closedSince = System.nanoTime();

    /** The engine has started: it waits for the application from now on. */
    void waitFromNow() {
        closedSince = System.nanoTime();
    }

    void open() {
        open = true;
    }

    boolean isOpen() {
        if (!open && System.nanoTime() - closedSince > PATIENCE.toNanos()) {
            LOG.warn("the application is not ready after {}; due sagas are taken all the same", PATIENCE);
            open();
        }
        return open;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent ready) {
        open();
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
