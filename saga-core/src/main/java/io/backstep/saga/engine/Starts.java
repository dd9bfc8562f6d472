package io.backstep.saga.engine;

import io.backstep.saga.SagaException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Shown;
import io.backstep.saga.engine.NewSagas.NewSaga;
import io.backstep.saga.state.Transition;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.Ids;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts sagas: alone through the journal, or as one insert in the caller's transaction. */
final class Starts {
    private static final Logger log = LoggerFactory.getLogger(Starts.class);
    /** Of a start that is refused because the engine does not run. */
    static final String NOT_RUNNING = "SAGA-START-006";

    private static final int MAX_TRIES = 8;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Node node;
    private final Transactions transactions;
    private final Ids ids;
    private final Claimer claimer;

    private final Set<CompletableFuture<SagaInstance>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * A saga to start.
     *
     * @param hashes any of which its input may have been stored with
     * @param mayMeetAnother whether somebody else may be starting the same: by its key, or an id that was given
     */
    private record Start(
            Instance instance, Transition first, NewInstance row, List<String> hashes, boolean mayMeetAnother) {}

    /** A start whose caller waits: one thread at a time goes on with it. */
    private static final class Open {
        private final Start start;
        private final CompletableFuture<SagaInstance> answer = new CompletableFuture<>();
        private int tries = 1;
        private Duration wait = FIRST_WAIT;

        /** Since a try of unknown effect. */
        private @Nullable Throwable doubt;

        private Open(Start start) {
            this.start = start;
        }
    }

    Starts(Node node, Transactions transactions, Ids ids, Claimer claimer) {
        this.node = node;
        this.transactions = transactions;
        this.ids = ids;
        this.claimer = claimer;
    }

    <I> SagaInstance start(SagaType<I> type, @Nullable I input, StartOptions options) {
        boolean joined = transactions.isActive();
        if (joined && transactions.isReadOnly()) {
            throw new SagaStartException(
                    "SAGA-START-008", "a saga of " + type + " cannot start in a read-only transaction");
        }
        Start start = prepared(type, input, options, joined);
        return joined ? join(start) : alone(start);
    }

    private <I> Start prepared(SagaType<I> type, @Nullable I input, StartOptions options, boolean joined) {
        Registered registered = node.registry.toStart(type.name(), options.version());
        NewSaga made = node.newSagas.of(
                registered,
                input,
                options.id() == null ? ids.next() : options.id(),
                options.key(),
                options.deadline() == null ? registered.definition().deadline() : options.deadline(),
                untilBegin(NewSagas.inputOf(registered), options),
                joined ? null : node.lease,
                null);
        boolean mayMeetAnother = options.key() != null || options.id() != null;
        return new Start(made.instance(), made.first(), made.row(), made.hashes(), mayMeetAnother);
    }

    private Duration untilBegin(String what, StartOptions options) {
        Instant startAt = options.startAt();
        Duration wait = startAt == null ? Duration.ZERO : Duration.between(node.store.now(), startAt);
        if (wait.compareTo(StartOptions.LONGEST) > 0) {
            throw new SagaStartException(
                    "SAGA-START-015", what + " would begin at " + startAt + "; allowed is at most 366 days from now");
        }
        return wait.isNegative() ? Duration.ZERO : wait;
    }

    private SagaInstance join(Start start) {
        InsertResult result = node.store.insertJoined(start.row());
        if (result.kind() != InsertResult.Kind.INSERTED) {
            return inTheWay(start, result);
        }
        SagaInstance view = node.views.of(start.instance(), start.first().state());
        transactions.afterCommit(() -> {
            node.notifier.started(view);
            begin(start);
        });
        return view;
    }

    private SagaInstance alone(Start start) {
        awaitRoom();
        Open open = new Open(start);
        pending.add(open.answer);
        try {
            if (stopped || node.stopping()) {
                throw new SagaStartException(NOT_RUNNING, "the engine was closed; no saga was started");
            }
            if (start.mayMeetAnother()) {
                node.journal.insertApart(start.row(), answer(open));
            } else {
                node.journal.insert(start.row(), answer(open));
            }
            node.waits.until(open.answer);
            return open.answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SagaException ours) {
                throw ours;
            }
            throw e;
        } finally {
            pending.remove(open.answer);
            node.room.leave();
        }
    }

    private void awaitRoom() {
        Duration patience = node.tuning.startTimeout();
        CompletableFuture<Void> turn = node.room.enter();
        node.waits.on(turn, patience);
        if (!turn.isDone() && node.room.giveUp(turn)) {
            throw new SagaStartException(
                    "SAGA-START-014",
                    "this node has " + node.heldCount() + " sagas under way, allowed are " + node.tuning.maxInFlight()
                            + ", and there was no room for one more within " + patience + "; no saga was started");
        }
    }

    /** Refuses what comes now, and waits for starts that are under way: what they insert is held, and so released. */
    void settle(Duration atMost) {
        stopped = true;
        node.room.open();
        node.waits.on(CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)), atMost);
    }

    /** Nothing answers any more: those who still wait are told so. */
    void stop() {
        stopped = true;
        pending.forEach(answer -> answer.completeExceptionally(new SagaStartException(
                "SAGA-START-012", "the engine was closed before the store answered; the saga may exist all the same")));
    }

    private StoreCallback<InsertResult> answer(Open open) {
        long sent = node.clock.nanos();
        return (result, failure) -> {
            try {
                if (result == null) {
                    notInserted(open, failure == null ? new IllegalStateException("no answer") : failure);
                } else if (result.kind() == InsertResult.Kind.LOCKED) {
                    insertLocked(open);
                } else {
                    inserted(open, sent, result);
                }
            } catch (Throwable e) {
                open.answer.completeExceptionally(e);
            }
        };
    }

    /** The caller waits for the other transaction, and nobody else does. */
    private void insertLocked(Open open) {
        if (open.wait.equals(FIRST_WAIT)) {
            log.warn(
                    "{} waits: an open transaction has inserted the same, or what is in its way cannot be read; trying again",
                    what(open.start));
        }
        Duration wait = open.wait;
        open.wait = wait.multipliedBy(2).compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait.multipliedBy(2);
        node.timer.after(wait, () -> {
            if (!open.answer.isDone()) { // else the engine was closed, and the caller knows
                node.journal.insertLocked(open.start.row(), answer(open));
            }
        });
    }

    private void inserted(Open open, long sent, InsertResult result) {
        Start start = open.start;
        if (result.kind() == InsertResult.Kind.INSERTED) {
            SagaInstance view = node.views.of(start.instance(), start.first().state());
            if (start.row().lease() == null) {
                begin(start);
            } else {
                run(start, sent);
            }
            node.notifier.started(view);
            open.answer.complete(view);
        } else if (open.doubt != null && isThis(start, result)) {
            SagaInstance view = node.views.of(start.instance(), start.first().state());
            if (start.row().lease() == null) {
                begin(start);
            } else {
                claimer.takeBack(start.row().sagaId());
            }
            node.notifier.started(view);
            open.answer.complete(view);
        } else {
            open.answer.complete(inTheWay(start, result));
        }
    }

    /** Takes what is nobody's, if it is due. */
    private void begin(Start start) {
        if (start.row().dueIn().isZero()) {
            claimer.claimOne(start.row().sagaId());
        } else {
            node.lookout.released(Hold.release(start.row().dueIn()));
        }
    }

    /** An earlier try of this very start was applied after all. */
    private boolean isThis(Start start, InsertResult result) {
        InstanceRow row = result.existing();
        return row != null
                && row.sagaId().equals(start.row().sagaId())
                && row.inputHash().equals(start.row().inputHash())
                && (start.row().lease() == null
                        ? row.epoch() == 0
                        : node.lease.owner().equals(row.owner()) && row.epoch() == 1);
    }

    /**
     * With an unknown effect the same insert, by the same id, tells: it waits for the lost one, and finds it or not. What was in doubt
     * once stays so, also when a later try is certainly not applied.
     */
    private void notInserted(Open open, Throwable failure) {
        boolean none = failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.NONE;
        open.doubt = none ? open.doubt : failure;
        boolean again = open.doubt != null || node.store.isTransient(failure);
        if (again && open.tries < MAX_TRIES) {
            Duration pause = PAUSE.multipliedBy(open.tries++);
            node.timer.after(node.spread(pause), () -> node.journal.insertApart(open.start.row(), answer(open)));
        } else if (open.doubt != null) {
            open.answer.completeExceptionally(new SagaStoreException(
                    "SAGA-DB-005",
                    what(open.start) + " may have been started, nobody knows; start it again with the same key or id: "
                            + open.doubt.getMessage(),
                    SagaStoreException.Effect.UNKNOWN,
                    open.doubt));
        } else {
            open.answer.completeExceptionally(failure);
        }
    }

    private void run(Start start, long sent) {
        InstanceClock clock = new InstanceClock(Duration.ZERO, sent, node.clock.nanos());
        Ownership ownership = new Ownership(
                new Fence(start.row().sagaId(), 1, 0),
                sent + node.lease.duration().toNanos(),
                clock);
        InstanceLoop loop =
                new InstanceLoop(node, start.instance(), start.first().state(), ownership);
        node.hold(loop);
        loop.begin(start.first().calls(), start.first().suspects());
    }

    private SagaInstance inTheWay(Start start, InsertResult result) {
        InstanceRow existing = result.existing();
        String what = what(start);
        if (result.kind() == InsertResult.Kind.REFUSED) {
            throw new SagaStartException("SAGA-START-010", what + " was refused by the database", result.cause());
        }
        if (existing == null) {
            throw new SagaStartException(
                    "SAGA-START-001",
                    what
                            + " exists, but the isolation of this transaction hides it; find it in a transaction of its own");
        }
        if (!sameStart(start, existing)) {
            throw new SagaStartException(
                    "SAGA-START-002", what + " exists as saga " + existing.sagaId() + " with another input or type");
        }
        return node.views.of(existing);
    }

    private static String what(Start start) {
        return start.instance().registered().definition() + " with "
                + (start.row().businessKey() == null
                        ? "id " + start.row().sagaId()
                        : "business key " + Shown.quoted(start.row().businessKey()));
    }

    private static boolean sameStart(Start start, InstanceRow existing) {
        boolean sameVersion =
                existing.definitionId() == start.row().definition().definitionId();
        return existing.name().equals(start.row().definition().name())
                && (!sameVersion || start.hashes().contains(existing.inputHash()));
    }
}
