package io.backstep.saga.spring;

import io.backstep.saga.messaging.OutboxRelay;
import org.jspecify.annotations.Nullable;

/** Tells the relay of this node, if there is one, without the outbox needing it. */
final class OutboxWake implements Runnable {
    private volatile @Nullable OutboxRelay relay;

    void wakes(OutboxRelay made) {
        relay = made;
    }

    @Override
    public void run() {
        OutboxRelay there = relay;
        if (there != null) {
            there.wake();
        }
    }
}
