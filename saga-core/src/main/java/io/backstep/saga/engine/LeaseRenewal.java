package io.backstep.saga.engine;

import io.backstep.saga.store.Held;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all sagas that the node holds, three times per lease, whatever else the node does. When it has failed twice in
 * a row, what is left of a round is not tried.
 */
final class LeaseRenewal {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);
    private static final int CHUNK = 1000;

    /** So many failures in a row are a whole lease. */
    private static final int LOST = 3;

    private final Node node;
    private final Executor renewer;
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean running;
    private volatile Timer.Scheduled next = () -> {};

    LeaseRenewal(Node node, Executor renewer) {
        this.node = node;
        this.renewer = renewer;
    }

    void start() {
        running = true;
        schedule();
    }

    void stop() {
        running = false;
        next.cancel();
    }

    private void schedule() {
        if (running) {
            next = node.timer.after(pause(), this::tick);
        }
    }

    /** When the leases are lost all the same there is no more haste. */
    private Duration pause() {
        Duration third = Duration.ofNanos(node.tuning.lease().toNanos() / 3);
        Duration rest = node.rest();
        return failures.get() >= LOST && third.compareTo(rest) < 0 ? rest : third;
    }

    private void tick() {
        schedule();
        if (renewing.compareAndSet(false, true)) {
            try {
                renewer.execute(() -> renewFrom(node.heldNow(), 0, true));
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                renewing.set(false);
                log.debug("the executor of the store's calls is full or closed");
            } catch (Throwable e) {
                renewing.set(false);
                throw e;
            }
        }
    }

    private void renewFrom(List<Held> held, int from, boolean clean) {
        if (from >= held.size()) {
            failures.set(clean ? 0 : failures.get());
            renewing.set(false);
            return;
        }
        int to = Math.min(held.size(), from + CHUNK);
        long sent = node.clock.nanos();
        node.store.renew(held.subList(from, to), node.lease, (renewed, failure) -> {
            if (renewed != null) {
                renewed.forEach(sagaId -> node.renewed(sagaId, sent));
                renewFrom(held, to, clean);
            } else {
                boolean again = failures.incrementAndGet() > 1;
                renewFrom(held, again ? held.size() : to, false);
            }
        });
    }
}
