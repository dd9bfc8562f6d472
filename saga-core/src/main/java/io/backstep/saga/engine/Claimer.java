package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes as many due sagas as the node can begin at once. Also takes single ones that it was told of. */
final class Claimer {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    private final Node node;
    private final Migrations migrations;
    private final AtomicBoolean polling = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile CompletableFuture<Void> quiet = new CompletableFuture<>();
    private volatile boolean more;
    private volatile boolean again;
    private volatile boolean running;

    Claimer(Node node, Migrations migrations) {
        this.migrations = migrations;
        this.node = node;
    }

    void start() {
        running = true;
        node.workers.whenFree(this::slotIsFree);
    }

    void stop() {
        running = false;
    }

    /** Waits for the claims that are under way: what they take is adopted, and so released. */
    void settle(Duration atMost) {
        CompletableFuture<Void> signal = new CompletableFuture<>();
        quiet = signal;
        if (underWay.get() == 0) {
            signal.complete(null);
        }
        node.waits.on(signal, atMost);
    }

    /** Takes a saga whose start has just been committed. */
    void claimOne(UUID sagaId) {
        if (running) {
            onKeeper(() -> claimNow(sagaId));
        }
    }

    private void claimNow(UUID sagaId) {
        List<Integer> known = List.copyOf(node.registry.ids());
        if (running && !known.isEmpty()) {
            long sent = node.clock.nanos();
            node.store.claimOne(sagaId, node.lease, known, (claimed, failure) -> took(sent, claimed));
        }
    }

    /** Takes back a saga that an insert in doubt had made this node's. */
    void takeBack(UUID sagaId) {
        onKeeper(() -> {
            long sent = node.clock.nanos();
            node.store.recover(new Held(sagaId, 1), node.lease, (claimed, failure) -> took(sent, claimed));
        });
    }

    /** Takes back a saga that it has moved, or not; if not, it goes on as it was, and is moved when it is taken the next time. */
    private void takeBack(Claimed claimed, Registered registered) {
        InstanceRow row = claimed.row();
        long sent = node.clock.nanos();
        node.store.recover(new Held(row.sagaId(), row.epoch()), node.lease, (again, failure) -> {
            if (again != null) {
                again.ifPresent(one -> begin(asTakenBefore(one, claimed), registered, sent));
            }
        });
    }

    private static Claimed asTakenBefore(Claimed again, Claimed before) {
        return new Claimed(
                again.row(), before.takenOver(), again.age(), again.deadline(), again.results(), again.mail());
    }

    private void took(long sent, @Nullable Optional<Claimed> claimed) {
        if (claimed != null) {
            claimed.ifPresent(one -> adopt(one, sent));
        } // else the poll finds it, when the lease is over that it may have taken
    }

    private void slotIsFree() {
        if (more) {
            poll();
        }
    }

    /** Takes what is due now, or once more when it is taking; when no slot is free, as soon as one is. */
    void poll() {
        int limit = Math.min(node.tuning.batchSize(), node.workers.free() - node.works.waiting());
        if (!running || node.registry.ids().isEmpty()) {
            return;
        }
        again = true;
        if (limit <= 0) {
            more = true;
        } else if (polling.compareAndSet(false, true)) {
            again = false;
            more = false;
            if (!onKeeper(() -> claim(limit))) {
                polling.set(false);
                node.lookout.rest();
            }
        }
    }

    private void claim(int limit) {
        if (!running) {
            return;
        }
        long sent = node.clock.nanos();
        ClaimRequest request = new ClaimRequest(node.lease, limit, List.copyOf(node.registry.ids()));
        node.store.claim(request, (claimed, failure) -> {
            if (claimed != null) {
                claimed.forEach(one -> adopt(one, sent));
            } // else what it may have taken is taken again when that lease is over
            polling.set(false);
            pollAgain(claimed, limit);
        });
    }

    private void pollAgain(@Nullable List<Claimed> claimed, int limit) {
        if (claimed == null) {
            node.lookout.rest();
        } else if (again || claimed.size() == limit) {
            poll();
        } else if (!claimed.isEmpty()) {
            node.lookout.soon();
        }
    }

    private boolean onKeeper(Runnable call) {
        underWay.incrementAndGet();
        try {
            node.keeper.execute(() -> counted(call));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
            oneLess();
            log.debug("the executor of the store's calls is full or closed");
            return false;
        }
    }

    private void counted(Runnable call) {
        try {
            call.run();
        } finally {
            oneLess();
        }
    }

    private void oneLess() {
        if (underWay.decrementAndGet() == 0) {
            quiet.complete(null);
        }
    }

    private void adopt(Claimed claimed, long sent) {
        try {
            adoptOrPark(claimed, sent);
        } catch (Throwable e) {
            log.error(
                    "SAGA-ENGINE-005: claimed saga {} cannot begin; it is taken again after its lease",
                    claimed.row().sagaId(),
                    e);
        }
    }

    private void adoptOrPark(Claimed claimed, long sent) {
        InstanceRow row = claimed.row();
        Registered registered = node.registry.byId(row.definitionId());
        if (registered == null) {
            log.error("SAGA-ENGINE-003: claimed saga {} of a definition that this node does not know", row.sagaId());
            return;
        }
        switch (migrations.migrated(claimed)) {
            case NOT_OURS -> claimNow(row.sagaId());
            case IN_DOUBT -> takeBack(claimed, registered);
            case STAYS -> begin(claimed, registered, sent);
        }
    }

    private void begin(Claimed claimed, Registered registered, long sent) {
        try {
            InstanceLoop loop = loop(claimed, registered, sent);
            node.hold(loop);
            loop.claimed(claimed);
        } catch (SagaSerializationException e) {
            boolean otherSteps = e.code().equals("SAGA-DEF-009");
            park(claimed, otherSteps ? SagaReason.STEP_UNKNOWN : SagaReason.UNREADABLE, e);
        }
    }

    private InstanceLoop loop(Claimed claimed, Registered registered, long sent) {
        InstanceRow row = claimed.row();
        if (row.format() > Json.FORMAT) {
            throw new SagaSerializationException(
                    "SAGA-SER-005",
                    "saga " + row.sagaId() + " has format " + row.format() + "; known are up to " + Json.FORMAT);
        }
        SagaState state =
                node.codec.read(registered.definition(), row.status(), row.reason(), claimed.deadline(), row.steps());
        Type type = registered.definition().type().inputType();
        Object input = node.payloads.read(
                PayloadField.input(row.sagaId()), "the input of saga " + row.sagaId(), row.input(), type);
        if (input == null) {
            throw new SagaSerializationException("SAGA-SER-002", "the input of saga " + row.sagaId() + " is null");
        }
        checkResults(row.sagaId(), registered, claimed.results());
        Instance instance = new Instance(
                row.sagaId(),
                row.businessKey(),
                row.parent(),
                registered,
                input,
                claimed.results(),
                node.codec.keys(row.steps()));
        return new InstanceLoop(
                node, instance, state, Ownership.of(claimed, sent, node.clock.nanos(), node.lease.duration()));
    }

    private void checkResults(UUID sagaId, Registered registered, Map<String, String> results) {
        registered.definition().steps().forEach(step -> {
            String result = results.get(step.name());
            Type type = step.resultType();
            if (result != null && type != null) {
                node.payloads.read(
                        PayloadField.result(sagaId, step.name()), "the result of step " + step.name(), result, type);
            }
        });
    }

    /** What cannot be read is left as it is, byte by byte, and parked; everything else goes on. */
    private void park(Claimed claimed, SagaReason reason, SagaSerializationException cause) {
        ErrorText error = ErrorText.of(cause.code(), String.valueOf(cause.getMessage()));
        HistoryEntry line = new HistoryEntry(
                "",
                Phase.SAGA,
                0,
                Outcome.PARKED,
                reason,
                null,
                error.code(),
                node.payloads.error(PayloadField.error(claimed.row().sagaId(), ""), error.text()),
                Duration.ZERO,
                node.tuning.nodeId());
        Mutation mutation = new Mutation(
                Ownership.of(claimed, 0, 0, node.lease.duration()).fence(),
                SagaStatus.FAILED,
                reason,
                null,
                Hold.END,
                List.of(line),
                List.of());
        node.journal.submit(mutation, (acceptance, failure) -> {
            if (acceptance != null && acceptance.kind() == Acceptance.Kind.ACCEPTED) {
                node.notifier.parkedUnread(claimed, reason, error.text());
            } else {
                log.warn(
                        "saga {} cannot be parked now; it is tried again after its lease",
                        claimed.row().sagaId());
            }
        });
    }
}
