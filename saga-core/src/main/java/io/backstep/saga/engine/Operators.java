package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.store.UnknownDefinition;
import io.backstep.saga.time.Timer;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators' actions need of a node. For {@code saga.admin}; not for applications. Safe for use by many threads. */
public final class Operators {
    private static final Logger log = LoggerFactory.getLogger(Operators.class);

    private static final int MOST_COUNTED = 1000;
    private static final int MOST_AGED = 10_000;

    private final Node node;
    private final Transactions transactions;
    private final Claimer claimer;
    private final Migrations migrations;

    Operators(Node node, Transactions transactions, Claimer claimer, Migrations migrations) {
        this.migrations = migrations;
        this.node = node;
        this.transactions = transactions;
        this.claimer = claimer;
    }

    /**
     * What this node leaves alone.
     *
     * @return versions that it does not know, with sagas that wait for a node that does; at most a thousand are counted of each
     */
    public List<UnknownDefinition> unknown() {
        return node.store.unknown(List.copyOf(node.registry.ids()), MOST_COUNTED);
    }

    /**
     * How long the oldest sagas of this node's types have been under way.
     *
     * @return the age of the oldest that is RUNNING or COMPENSATING, by type; of the ten thousand of a version that are due first
     */
    public Map<String, Duration> oldest() {
        Map<String, Duration> ages = new TreeMap<>();
        node.store.oldest(List.copyOf(node.registry.ids()), MOST_AGED).forEach((id, age) -> {
            Registered registered = node.registry.byId(id);
            if (registered != null) {
                ages.merge(registered.definition().name(), age, (one, other) -> one.compareTo(other) > 0 ? one : other);
            }
        });
        return ages;
    }

    /**
     * Deletes finished sagas of one slice of the table: of the types of which this node knows a version, in all their versions.
     *
     * @param ages how long since their last write sagas are kept, by status
     * @param after the slice begins with the id that follows this one, or at the first when null
     * @param limit how many rows the slice has
     * @return what was done
     */
    public Purged purge(Map<SagaStatus, Duration> ages, @Nullable UUID after, int limit) {
        return node.store.purge(new PurgeRequest(ages, node.registry.types(), after, limit));
    }

    /**
     * Where sagas are kept.
     *
     * @return the store
     */
    public SagaStore store() {
        return node.store;
    }

    /**
     * The application's transactions.
     *
     * @return of the same database as the store
     */
    public Transactions transactions() {
        return transactions;
    }

    /**
     * The name of this node.
     *
     * @return its id, without incarnation
     */
    public String nodeId() {
        return node.tuning.nodeId();
    }

    /**
     * Reads a saga by its definition.
     *
     * @param seen the saga
     * @return the saga, or empty when this node does not know the definition
     * @throws SagaSerializationException when its state cannot be read
     */
    public Optional<StoredSaga> read(Inspected seen) {
        InstanceRow row = seen.row();
        Registered registered = node.registry.byId(row.definitionId());
        if (registered == null) {
            return Optional.empty();
        }
        Duration deadline = row.deadline() == null ? null : Duration.between(row.createdAt(), row.deadline());
        SagaState state = node.codec.read(registered.definition(), row.status(), row.reason(), deadline, row.steps());
        Recorder recorder = node.recorder(registered, row.parent(), node.codec.keys(row.steps()));
        return Optional.of(new StoredSaga(registered, row, state, recorder));
    }

    /**
     * Tells what would make a saga one of a later version.
     *
     * @param seen the saga
     * @return the write, whose version is set
     * @throws io.backstep.saga.SagaMigrationException when it cannot be moved; why
     */
    public OperatorWrite migration(Inspected seen) {
        return migrations.of(seen);
    }

    /**
     * Reads the encoded results of a saga's recorded actions.
     *
     * @param sagaId the saga
     * @return the results by step name
     */
    public Map<String, String> results(UUID sagaId) {
        return node.views.results(sagaId);
    }

    /**
     * Makes of a result that an operator tells what is stored.
     *
     * @param sagaId the saga
     * @param step the name of the step
     * @param json the result
     * @param type its full type
     * @return what is stored
     * @throws SagaSerializationException when it cannot be read as that type, or kept
     */
    public String result(UUID sagaId, String step, String json, Type type) {
        return node.payloads.keepTold(PayloadField.result(sagaId, step), "the result of step " + step, json, type);
    }

    /**
     * Reads the step states of a saga whose definition need not be known.
     *
     * @param row the saga
     * @return the states by name, in order
     * @throws SagaSerializationException when they cannot be read
     */
    public Map<String, StepState> steps(InstanceRow row) {
        return node.codec.steps(row.steps());
    }

    /**
     * Decodes a payload.
     *
     * @param field where it is stored
     * @param stored what is stored there
     * @return the same when it cannot be decoded
     */
    public String decoded(PayloadField field, String stored) {
        try {
            return node.payloads.decode(field, stored);
        } catch (SagaSerializationException e) {
            return stored;
        }
    }

    /**
     * A child whose end a step waits for.
     *
     * @param step the name of the step
     * @param undo whether it is to be undone; else it is to complete
     * @param sagaId the child
     */
    public record Child(String step, boolean undo, UUID sagaId) {}

    /**
     * Which children a saga waits for, whose definition need not be known.
     *
     * @param row the saga
     * @return them, in the order of the steps
     * @throws SagaSerializationException when its steps cannot be read
     */
    public List<Child> awaitedChildren(InstanceRow row) {
        List<Child> children = new ArrayList<>();
        steps(row).forEach((name, step) -> {
            if (step.awaiting() && step.children() > 0) {
                UUID child = ChildIds.of(row.sagaId(), row.parent(), name, step.children());
                children.add(new Child(name, step.status() == StepStatus.COMPENSATING, child));
            }
        });
        return children;
    }

    /**
     * Whether this node knows the definition of a saga.
     *
     * @param row the saga
     * @return false when its version is not registered here
     */
    public boolean knows(InstanceRow row) {
        return node.registry.byId(row.definitionId()) != null;
    }

    /**
     * Whether a saga that has completed stays so, whatever its parent wants.
     *
     * @param row the saga
     * @return true when this node knows that it had a pivot or a TCC step
     */
    public boolean isBeyondUndoing(InstanceRow row) {
        Registered registered = node.registry.byId(row.definitionId());
        return registered != null && registered.definition().staysCompleted();
    }

    /**
     * The history line of a saga that is ended without a look at its steps.
     *
     * @return the line
     */
    public HistoryEntry ended() {
        return new HistoryEntry("", Phase.SAGA, 0, Outcome.ENDED, null, null, null, null, Duration.ZERO, nodeId());
    }

    /**
     * Tells listeners and waiters of a change that was committed, and takes the saga if it is due.
     *
     * @param before the saga before
     * @param change what it became
     * @param age its age
     */
    public void written(StoredSaga before, StoredSaga.Change change, Duration age) {
        node.notifier.recorded(before.instance(), before.state(), change.after(), List.of(), age);
        node.wrote(change.mutation());
        written(before.instance().sagaId());
    }

    /**
     * Tells waiters that a saga was written, and takes it if it is due.
     *
     * @param sagaId the saga
     */
    public void written(UUID sagaId) {
        node.waiters.wake(sagaId);
        claimer.claimOne(sagaId);
    }

    void requireWritable(String what) {
        if (transactions.isActive() && transactions.isReadOnly()) {
            throw new SagaRequestException(
                    "SAGA-REQ-002", "transaction", what + " in a read-only transaction; one that may write is needed");
        }
    }

    /** Posts mail in the caller's transaction, or in one of its own. False when the saga has had a message with its id. */
    boolean post(InstanceRow row, Mail mail) {
        boolean posted = transactions.isActive() ? store().post(mail) : inTransaction(() -> store().post(mail));
        afterCommit(() -> posted(row));
        return posted;
    }

    /** Of the caller's transaction; at once when there is none. */
    void afterCommit(Runnable next) {
        if (transactions.isActive()) {
            transactions.afterCommit(next);
        } else {
            next.run();
        }
    }

    /**
     * Looks for new mail at once, and takes the saga if it is due and this node knows its version.
     *
     * @param row whose
     */
    public void posted(InstanceRow row) {
        node.mailroom.look();
        if (knows(row)) {
            claimer.claimOne(row.sagaId());
        }
    }

    /**
     * Runs work in a transaction of its own, again after a deadlock or a serialization failure: a few times, each time a little later.
     *
     * @param work writes to the store
     * @param <T> what it returns
     * @return what the work returned
     */
    public <T extends @Nullable Object> T inTransaction(Callable<T> work) {
        try {
            return node.repeats.of(() -> transactions.inTransaction(work));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Whether a transaction that failed is worth another one: nothing was written. Waits a little when it is.
     *
     * @param failure of the transaction
     * @param tries how many there were
     * @return true after a deadlock or a serialization failure
     */
    public boolean isWorthAnother(Exception failure, int tries) {
        boolean worth = node.repeats.isWorthIt(failure);
        if (worth) {
            node.repeats.pause(tries);
        }
        return worth;
    }

    /**
     * Whether the store fails at present; the engine has told so.
     *
     * @return true in an outage
     */
    public boolean isOutage() {
        return node.outage.isOn();
    }

    /**
     * Spreads what many nodes do.
     *
     * @param interval about how long
     * @return up to a fifth shorter or longer
     */
    public Duration spread(Duration interval) {
        return node.spread(interval);
    }

    /**
     * Runs something later, where calls of the store may block; when nothing takes it, again a little later, until the engine stops.
     *
     * @param delay how long from now
     * @param task what
     * @return to cancel it before it is due
     */
    public Timer.Scheduled later(Duration delay, Runnable task) {
        return node.timer.after(delay, () -> {
            try {
                node.keeper.execute(task);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                log.debug("the executor of the store's calls is full or closed");
                if (!node.stopping()) {
                    later(node.rest(), task);
                }
            }
        });
    }
}
