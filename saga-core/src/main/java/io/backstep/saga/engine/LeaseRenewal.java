package io.backstep.saga.engine;

import io.backstep.saga.store.Held;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of all sagas that the node holds, three times per lease, whatever else the node does. */
final class LeaseRenewal {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);
    private static final int CHUNK = 1000;

    private final Node node;
    private final Executor renewer;
    private final AtomicBoolean renewing = new AtomicBoolean();
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
            next = node.timer.after(Duration.ofNanos(node.tuning.lease().toNanos() / 3), this::tick);
        }
    }

    private void tick() {
        schedule();
        if (renewing.compareAndSet(false, true)) {
            try {
                renewer.execute(() -> renewFrom(node.heldNow(), 0));
            } catch (RejectedExecutionException e) {
                renewing.set(false);
                log.debug("the node is closed");
            } catch (RuntimeException | Error e) {
                renewing.set(false);
                throw e;
            }
        }
    }

    private void renewFrom(List<Held> held, int from) {
        if (from >= held.size()) {
            renewing.set(false);
            return;
        }
        int to = Math.min(held.size(), from + CHUNK);
        long sent = node.clock.nanos();
        node.store.renew(held.subList(from, to), node.lease, (renewed, failure) -> {
            answered(sent, renewed, failure);
            renewFrom(held, to);
        });
    }

    private void answered(long sent, @Nullable Set<UUID> renewed, @Nullable Throwable failure) {
        if (renewed == null) {
            node.notifier.storeFailed(failure);
        } else {
            renewed.forEach(sagaId -> node.renewed(sagaId, sent));
        }
    }
}
