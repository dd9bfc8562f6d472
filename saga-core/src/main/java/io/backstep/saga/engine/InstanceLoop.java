package io.backstep.saga.engine;

import io.backstep.saga.Phase;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one saga that this node owns: event, transition, one fenced write, calls, and again. Everything runs in its serial
 * queue, but for {@link #prepare} (on the worker of a transactional attempt, while nothing else may write) and what other threads may
 * ask ({@link #owns}, {@link #fence}).
 */
final class InstanceLoop {
    private static final Logger log = LoggerFactory.getLogger(InstanceLoop.class);
    private static final Duration ANOTHER_LOOK = Duration.ofMillis(50);

    private final Node node;
    private final Instance instance;
    private final Registered registered;
    private final Recorder recorder;
    final RowLock rowLock;
    private final Writer writer;
    private final Holds holds;
    private final SerialQueue queue = new SerialQueue();
    private final Attempts attempts = new Attempts();
    private final Backlog backlog;
    private final Admission admission;
    private final WakeUp wakeUp;
    private volatile SagaState state;
    private volatile Ownership ownership;
    private boolean writing;
    private boolean parking;
    private boolean over;

    InstanceLoop(Node node, Instance instance, SagaState state, Ownership ownership) {
        this.node = node;
        this.instance = instance;
        this.registered = instance.registered();
        this.state = state;
        this.ownership = ownership;
        this.recorder = node.recorder(registered, instance.parent(), instance.keys());
        this.rowLock = new RowLock(node.clock, instance.sagaId());
        this.writer = new Writer(node, this);
        this.holds = new Holds(node, registered.machine());
        this.wakeUp = new WakeUp(node.timer, registered.machine());
        this.admission = new Admission(node.gate);
        this.backlog = new Backlog(registered.definition(), node.payloads, node.mailroom.sweeps());
    }

    UUID sagaId() {
        return instance.sagaId();
    }

    Held held() {
        return new Held(sagaId(), fence().epoch());
    }

    Fence fence() {
        return ownership.fence();
    }

    /** Whether the lease lasts by the monotonic clock; any thread may ask. */
    boolean owns() {
        return node.clock.nanos() - ownership.leaseEnd() < 0;
    }

    @Nullable
    Duration untilDeadline() {
        Duration deadline = registered.machine().deadline(state);
        return deadline == null ? null : deadline.minus(earliest());
    }

    SagaState state() {
        return state;
    }

    void renewed(long sentNanos) {
        queue.run(() -> ownership = ownership.renewed(sentNanos, node.tuning.lease()));
    }

    void outdated() {
        onQueue(() -> lost("it was claimed here again"));
    }

    /** Runs on the saga's queue, unless it is over. */
    void onQueue(Runnable next) {
        queue.run(() -> {
            if (over) {
                return;
            }
            try {
                next.run();
            } catch (Throwable e) {
                log.error(
                        "SAGA-ENGINE-001: saga {} made the engine fail; it is let go, and taken over later",
                        sagaId(),
                        e);
                lost("the engine failed");
            }
        });
    }

    /** Begins with what the machine wants called; what intends it is recorded already. */
    void begin(List<Call> calls, List<Integer> suspects) {
        onQueue(() -> {
            dispatch(calls, suspects);
            scheduleWake();
            proceed();
        });
    }

    void happened(Input input) {
        onQueue(() -> {
            backlog.add(input);
            proceed();
        });
    }

    void claimed(Claimed claimed) {
        onQueue(() -> {
            backlog.add(new SagaEvent.Claimed(earliest(), claimed.takenOver()));
            backlog.deliver(claimed.mail(), state.turned() != null, earliest());
            proceed();
        });
    }

    void mailed(List<Mail> letters, long sweep) {
        onQueue(() -> {
            backlog.deliver(letters, sweep, state.turned() != null, earliest());
            proceed();
        });
    }

    void ended(Attempt attempt, AttemptEnd end) {
        onQueue(() -> {
            attempts.ended(attempt);
            admission.leave(end.call().step());
            backlog.add(new Input(event(end), end));
            proceed();
        });
    }

    /** The store has answered for a transactional attempt: its record is committed, or the fence did not hold. */
    void transactionAnswered(Attempt attempt, Acceptance acceptance) {
        onQueue(() -> {
            attempts.ended(attempt);
            admission.leave(attempt.call().step());
            Prepared prepared = attempt.prepared();
            if (acceptance.kind() == Acceptance.Kind.ACCEPTED && prepared != null) {
                backlog.tellAgain(prepared.kept(), earliest());
                accepted(prepared);
            } else if (acceptance.kind() == Acceptance.Kind.REFUSED && prepared != null) {
                refused(prepared, acceptance.cause());
            } else {
                lost("another owner has taken it");
            }
        });
    }

    /** Nobody knows whether a transactional attempt is committed. Not applied counts as one failure. */
    void transactionInDoubt(Attempt attempt, AttemptEnd end) {
        onQueue(() -> {
            attempts.ended(attempt);
            writing = true;
            admission.leave(end.call().step());
            writer.recover(attempt.prepared(), () -> {
                writing = false;
                backlog.add(new Input(event(end), end));
                proceed();
            });
        });
    }

    /** A call was due after the lease had run out: only the store can tell whether the saga is still this node's. */
    void leaseLapsed(Attempt attempt) {
        onQueue(() -> {
            if (writing || attempts.writingBeside(attempt)) {
                node.timer.after(ANOTHER_LOOK, () -> leaseLapsed(attempt));
                return;
            }
            attempts.ended(attempt);
            writing = true;
            writer.recover(null, () -> {
                writing = false;
                if (attempt.call().phase() != Phase.COMPENSATION && state.turned() != null) { // meanwhile
                    backlog.withdraw(attempt.call(), earliest());
                    backlog.add(new SagaEvent.TimePassed(earliest()));
                } else {
                    dispatch(List.of(attempt.call()), List.of());
                }
                proceed();
            });
        });
    }

    /** The node stops: what has not begun is given back at once, the rest goes on. */
    void stop() {
        onQueue(() -> {
            if (!withdrewQueued()) {
                backlog.add(new SagaEvent.TimePassed(earliest()));
            }
            proceed();
        });
    }

    private void withdraw(Attempt attempt) {
        if (attempt.withdraw()) {
            attempts.ended(attempt);
            admission.leave(attempt.call().step());
            backlog.withdraw(attempt.call(), earliest());
        }
    }

    /** What waits for a worker is not called: no action starts after the turn is recorded, and nothing once the node stops. */
    private boolean withdrewQueued() {
        attempts.all().forEach(this::withdraw);
        return !backlog.isEmpty();
    }

    /** The node stops, and an attempt that was to be repeated is not. */
    void callOff(Attempt attempt) {
        onQueue(() -> {
            withdraw(attempt);
            proceed();
        });
    }

    void interrupt() {
        onQueue(() -> attempts.all().forEach(Attempt::interrupt));
    }

    /**
     * For the worker of a transactional attempt. What else would turn or park the saga waits for the queue, which takes back siblings.
     */
    Prepared prepare(AttemptEnd end, Fence fence) {
        List<Input> ended = List.of(new Input(event(end), end));
        Prepared prepared = prepare(backlog.withKept(ended, earliest()), fence, node.stopping());
        if (!(prepared.turns() || prepared.parks()) || attempts.alone()) {
            return prepared;
        }
        Duration before = state.inTime(earliest());
        return prepare(List.of(new Input(end.event(before, before, 0), end)), fence, true)
                .keeping(backlog.kept());
    }

    private Prepared prepare(List<Input> all, Fence fence, boolean withdraw) {
        boolean atTheGate = !node.stopping() && admission.pendingBeside(all);
        BiFunction<SagaState, Boolean, Hold> hold =
                (after, calls) -> holds.choose(after, calls || atTheGate, ownership);
        return recorder.prepare(fence, state, all, withdraw, instance.results(), latest(), hold);
    }

    private void proceed() {
        if (writing || attempts.writing()) {
            return;
        }
        if (backlog.isEmpty()) {
            attempts.nextTransactional();
            return;
        }
        List<Input> inputs = backlog.take();
        Prepared prepared = prepare(backlog.withKept(inputs, earliest()), ownership.fence(), node.stopping());
        if ((prepared.turns() || prepared.parks()) && withdrewQueued()) {
            backlog.addAll(inputs);
            inputs = backlog.take();
            prepared = prepare(backlog.withKept(inputs, earliest()), ownership.fence(), node.stopping());
        }
        if (prepared.parks() && !attempts.isEmpty()) {
            backlog.addAll(inputs); // whoever gets it moving again must not meet what still runs: it is awaited
        } else if (prepared.mutation() == null) {
            follow(prepared);
        } else {
            writing = true;
            writer.write(prepared);
        }
    }

    void accepted(Prepared prepared) {
        writing = false;
        rowLock.free();
        Hold hold = prepared.write().hold();
        ownership = ownership.wrote(hold, node.clock.nanos());
        instance.add(prepared.results());
        backlog.keep(prepared.kept());
        node.notifier.recorded(instance, state, prepared.after(), prepared.told(), earliest());
        node.notifier.late(instance.registered().definition().name(), prepared.late());
        state = prepared.after();
        node.wrote(prepared.write());
        if (hold.kind() == Hold.Kind.END || hold.kind() == Hold.Kind.RELEASE) {
            node.lookout.released(hold);
            close();
        } else {
            follow(prepared);
        }
    }

    private void follow(Prepared prepared) {
        boolean wishWaits = backlog.wishFirst(prepared.calls(), earliest());
        dispatch(wishWaits ? List.of() : prepared.calls(), prepared.suspects());
        Integer admitted = admission.admitted(); // not called: the saga turned instead
        if (admitted != null && backlog.isEmpty() && attempts.none(admitted)) {
            admission.leave();
            backlog.add(new SagaEvent.TimePassed(earliest())); // it may have been held for that alone
        }
        scheduleWake();
        proceed();
    }

    /** The row's data was refused by the database: parks without it. If even that is refused, it is tried again when the lease is over. */
    void refused(Prepared prepared, @Nullable Throwable cause) {
        writing = false;
        if (parking && prepared.ends().isEmpty()) {
            log.error("SAGA-DB-008: saga {} cannot even be parked; it is tried again after its lease", sagaId(), cause);
            lost("the database refuses whatever is written");
            return;
        }
        parking = true;
        log.error("SAGA-DB-008: saga {} cannot be recorded and is parked", sagaId(), cause);
        backlog.parkUnreadable(prepared.ends(), earliest());
        proceed();
    }

    /** The fence did not hold: abandon, forget, start nothing. */
    void lost(String why) {
        log.info("saga {} is not this node's any more ({}); what it still does here is refused", sagaId(), why);
        close();
        node.notifier.lost(instance, state);
    }

    void recovered(Ownership again) {
        rowLock.free();
        ownership = again;
    }

    private void close() {
        over = true;
        wakeUp.cancel();
        attempts.all().forEach(Attempt::withdraw);
        admission.leave();
        node.forget(this);
    }

    /** What was intended while the node began to stop is given back. */
    private void dispatch(List<Call> calls, List<Integer> suspects) {
        if (node.stopping()) {
            calls.forEach(call -> backlog.withdraw(call, earliest()));
            return;
        }
        for (Call call : calls) {
            attempts.add(new Attempt(node, this, instance, call));
        }
        if (!suspects.isEmpty()) {
            admission.ask(suspects.get(0), step -> queue.run(() -> admit(step)));
        }
    }

    private void admit(int step) {
        if (admission.enter(step, !over && !node.stopping())) {
            backlog.add(new SagaEvent.Admitted(earliest(), step));
            proceed();
        }
    }

    private void scheduleWake() {
        if (node.stopping()) {
            wakeUp.cancel(); // what is due begins on another node
            return;
        }
        wakeUp.set(
                state,
                earliest(),
                admission.pending(),
                () -> happened(new Input(new SagaEvent.TimePassed(earliest()))));
    }

    private SagaEvent event(AttemptEnd end) {
        return end.event(earliest(), latest(), node.randomness.next());
    }

    private Duration latest() {
        return ownership.clock().latest(node.clock.nanos());
    }

    private Duration earliest() {
        return ownership.clock().earliest(node.clock.nanos());
    }
}
