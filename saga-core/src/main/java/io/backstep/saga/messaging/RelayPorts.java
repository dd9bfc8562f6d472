package io.backstep.saga.messaging;

import io.backstep.saga.AlertListener;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.util.List;
import java.util.concurrent.Executor;

/** What a relay works with. */
record RelayPorts(
        OutboxStore store,
        MessageBroker broker,
        RelaySettings settings,
        String owner,
        MonotonicClock clock,
        Timer timer,
        Executor executor,
        Randomness randomness,
        Waits waits,
        List<OutboxListener> listeners,
        List<AlertListener> alertListeners,
        Runnable end) {}
