package io.backstep.saga.messaging;

import io.backstep.saga.Shown;
import io.backstep.saga.Thrown;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is in the outbox to a broker, lane by lane. Several relays, in several processes, may work on one outbox: each lane is one
 * relay's at a time. No transaction is open while the broker is called. A message is marked as sent after the broker has confirmed it; when
 * the relay dies in between, it is sent again, with the same id, and before those behind it.
 */
public final class OutboxRelay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);
    private static final int LONGEST_ERROR = 1000;

    private final RelayPorts ports;
    private final AtomicBoolean claiming = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile CompletableFuture<Void> quiet = new CompletableFuture<>();
    private volatile Timer.Scheduled next = () -> {};
    private volatile boolean running;
    private volatile boolean again;
    private volatile boolean failing;

    OutboxRelay(RelayPorts ports) {
        this.ports = ports;
    }

    /**
     * Begins to build a relay.
     *
     * @param store where the messages are kept
     * @param broker where they are sent
     * @return a builder
     */
    public static OutboxRelayBuilder builder(OutboxStore store, MessageBroker broker) {
        return new OutboxRelayBuilder(store, broker);
    }

    /** Begins to send. Does nothing when it has begun. */
    public void start() {
        if (!running) {
            running = true;
            poll();
        }
    }

    /** Looks for messages now, since there may be some; never blocks, and does nothing while the relay is stopped. */
    public void wake() {
        again = true;
        boolean free = underWay.get() < ports.settings().lanes();
        if (running && free && claiming.compareAndSet(false, true)) {
            again = false;
            underWay.incrementAndGet();
            onStoreThread(this::claim);
        }
    }

    private void poll() {
        if (running) {
            wake();
            next = ports.timer().after(ports.settings().pollInterval(), this::poll);
        }
    }

    private void onStoreThread(Runnable call) {
        try {
            ports.executor().execute(call);
        } catch (RejectedExecutionException e) {
            claiming.set(false);
            done();
        }
    }

    private void claim() {
        long sent = ports.clock().nanos();
        Optional<OutboxBatch> batch = Optional.empty();
        boolean answered = false;
        try {
            if (running) {
                RelaySettings settings = ports.settings();
                batch = ports.store().claim(ports.owner(), settings.lease(), settings.batchSize());
            }
            answered = true;
            tellOfSuccess();
        } catch (Throwable e) {
            tellOfFailure(e);
        }
        claiming.set(false);
        if (batch.isPresent()) {
            wake(); // for another lane, meanwhile
            new BatchRun(ports, batch.get(), sent, () -> running, this::settled).begin();
        } else {
            done();
            if (answered && again) {
                wake();
            }
        }
    }

    private void settled() {
        done();
        wake();
    }

    private void done() {
        if (underWay.decrementAndGet() == 0) {
            quiet.complete(null);
        }
    }

    private void tellOfFailure(Throwable failure) {
        if (!failing) {
            failing = true;
            log.warn(
                    "SAGA-OUT-004: the outbox cannot be read; messages wait, and the next poll tries again: {}",
                    Shown.line(String.valueOf(Thrown.message(failure)), LONGEST_ERROR));
        }
    }

    private void tellOfSuccess() {
        if (failing) {
            failing = false;
            log.info("the outbox can be read again");
        }
    }

    /** Stops: nothing more is sent; waits until the broker has answered for what is under way and that is recorded, at most for the send timeout. */
    @Override
    public void close() {
        running = false;
        next.cancel();
        CompletableFuture<Void> signal = new CompletableFuture<>();
        quiet = signal;
        if (underWay.get() == 0) {
            signal.complete(null);
        }
        ports.waits().on(signal, ports.settings().sendTimeout().plus(Duration.ofSeconds(1)));
        ports.end().run();
    }
}
