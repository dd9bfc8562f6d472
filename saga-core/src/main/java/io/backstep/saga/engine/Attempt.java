package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.Call;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.time.InterruptibleRun;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** One call of user code: queued, run on a worker, bounded in time, ended exactly once. */
final class Attempt {
    private static final Logger log = LoggerFactory.getLogger(Attempt.class);
    private static final int MAX_RERUNS = 5;
    private static final Duration LOCKED_PAUSE = Duration.ofSeconds(1);
    private static final Duration STORE_PAUSE = Duration.ofMillis(100);
    private static final Duration RERUN_PAUSE = Duration.ofMillis(20);

    private enum Stage {
        QUEUED,
        RUNNING,
        ENDED
    }

    private final Node node;
    private final InstanceLoop loop;
    private final Call call;
    private final StepDefinition step;
    private final UserCode userCode;
    private final String sagaName;
    private final boolean transactional;
    private final InterruptibleRun run = new InterruptibleRun();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.QUEUED);
    private volatile Timer.Scheduled timeout = () -> {};
    private volatile boolean timedOut;
    private volatile boolean stopped;
    private volatile @Nullable Prepared prepared;
    private volatile @Nullable Throwable thrown;
    private volatile boolean inside;
    private volatile long began;

    /** How long it may take, from its call. */
    private volatile Duration budget = Duration.ZERO;

    /** As it was at the call: whoever takes the epoch meanwhile shuts this attempt out. */
    private volatile Fence fence;

    private int reruns;

    Attempt(Node node, InstanceLoop loop, Instance instance, Call call) {
        this.node = node;
        this.loop = loop;
        this.call = call;
        this.step = instance.registered().definition().steps().get(call.step());
        this.userCode = new UserCode(node, loop, instance, call, step);
        this.sagaName = instance.registered().definition().name();
        this.transactional = step.transactional(call.phase());
        this.fence = loop.fence();
    }

    Call call() {
        return call;
    }

    boolean transactional() {
        return transactional;
    }

    /** The transition of a transactional attempt that may or may not be committed. */
    @Nullable
    Prepared prepared() {
        return prepared;
    }

    void queue() {
        if (transactional) {
            node.works.enter(() -> node.workers.submit(this::start));
        } else {
            node.workers.submit(this::start);
        }
    }

    /** Calls it off, if it has not begun. */
    boolean withdraw() {
        return stage.compareAndSet(Stage.QUEUED, Stage.ENDED);
    }

    /** Interrupts it: the node stops. */
    void interrupt() {
        stopped = true;
        run.interrupt();
    }

    private void start() {
        if (!loop.owns()) {
            if (withdraw()) {
                loop.leaseLapsed(this);
            }
            notBegun();
            return;
        }
        if (!stage.compareAndSet(Stage.QUEUED, Stage.RUNNING)) {
            notBegun();
            return;
        }
        began = node.clock.nanos();
        budget = budget();
        fence = loop.fence();
        timeout = node.timer.after(timeLimit(), this::timeIsUp);
        runLogged();
    }

    private void notBegun() {
        if (transactional) {
            node.works.unused();
        }
        node.workers.done();
    }

    private void runLogged() {
        Map<String, String> before = MDC.getCopyOfContextMap();
        MDC.put("sagaId", loop.sagaId().toString());
        MDC.put("sagaName", sagaName);
        MDC.put("step", step.name());
        MDC.put("attempt", Integer.toString(call.attempt()));
        try {
            AttemptEnd end = run.run(transactional ? this::runInTransaction : this::runRemote);
            if (end != null) {
                finish(() -> loop.ended(this, end));
            }
        } finally {
            MDC.setContextMap(before == null ? Map.of() : before);
        }
    }

    private AttemptEnd runRemote() {
        try {
            return node.leftOpen.after(this::remote);
        } catch (Throwable e) {
            return failed(e);
        }
    }

    private AttemptEnd remote() throws Exception {
        try {
            return switch (call.phase()) {
                case CONDITION -> AttemptEnd.answered(call, userCode.holds(this::timeLeft), took());
                case PROBE -> userCode.probe(this::timeLeft, this::took);
                default ->
                    startsChild()
                            ? AttemptEnd.started(call, userCode.child(this::timeLeft), took())
                            : succeeded(userCode.call(this::timeLeft));
            };
        } finally {
            takeInterruptAway();
        }
    }

    private boolean startsChild() {
        return call.phase() == Phase.ACTION && step.child() != null;
    }

    /** Its end is told by the store. */
    private @Nullable AttemptEnd runInTransaction() {
        prepared = null;
        thrown = null;
        inside = false;
        node.store.inTransaction(this::work, this::transactionEnded);
        return null;
    }

    private Mutation work() throws Exception {
        inside = true;
        node.works.answered(began, null);
        node.store.noteWork(null);
        try {
            String result = called();
            if (stage.get() != Stage.RUNNING) {
                throw new IllegalStateException("it was given up meanwhile");
            }
            Prepared next = loop.prepare(succeeded(result), fence);
            prepared = next;
            return next.write();
        } catch (Throwable e) {
            thrown = e;
            throw e;
        }
    }

    private void transactionEnded(@Nullable Acceptance acceptance, @Nullable Throwable failure) {
        Throwable ofTheWork = thrown;
        if (acceptance != null && acceptance.kind() == Acceptance.Kind.LOCKED) {
            loop.rowLock.met();
            again(LOCKED_PAUSE);
        } else if (acceptance != null) {
            finish(() -> loop.transactionAnswered(this, acceptance));
        } else if (mayRerun(failure)) {
            tellWhenNotBegun(failure);
            reruns++;
            log.info(
                    "saga {} step {}: rerun {} of {} in a fresh transaction",
                    loop.sagaId(),
                    step.name(),
                    reruns,
                    MAX_RERUNS);
            again(RERUN_PAUSE.multipliedBy(reruns));
        } else if (ofTheWork != null && !ResultFailed.escaped(failure)) {
            finish(() -> loop.ended(this, failed(ofTheWork)));
        } else {
            storeFailed(failure == null ? new IllegalStateException("no answer") : failure);
        }
    }

    private boolean mayRerun(@Nullable Throwable failure) {
        boolean mayBeCommitted =
                failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.UNKNOWN;
        return failure != null
                && !mayBeCommitted
                && node.store.isTransient(failure)
                && reruns < MAX_RERUNS
                && !timedOut
                && !stopped;
    }

    /** Outside the user code. Nothing begun: the store is away, which spends nothing. Unknown: only taking the epoch tells. */
    private void storeFailed(Throwable failure) {
        tellWhenNotBegun(failure);
        boolean withoutEffect =
                failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.NONE;
        if (withoutEffect && prepared == null) {
            again(STORE_PAUSE);
        } else {
            finish(() -> loop.transactionInDoubt(this, failed(failure)));
        }
    }

    /** Who was let in must tell; once the work has begun it has told. */
    private void tellWhenNotBegun(@Nullable Throwable failure) {
        if (!inside) {
            node.store.noteWork(failure);
            node.works.answered(began, failure);
        }
    }

    /** The same attempt once more, a little later; nothing has happened. */
    private void again(Duration pause) {
        if (!stage.compareAndSet(Stage.RUNNING, Stage.QUEUED)) {
            return;
        }
        timeout.cancel();
        timedOut = false;
        node.workers.done();
        if (node.stopping()) {
            loop.callOff(this);
        } else {
            node.timer.after(node.spread(pause), this::queue);
        }
    }

    private @Nullable String called() throws Exception {
        try {
            return userCode.call(this::timeLeft);
        } finally {
            takeInterruptAway();
        }
    }

    private void takeInterruptAway() {
        if (run.clear()) {
            log.warn(
                    "SAGA-STEP-002: saga {} step {} left its thread interrupted; the interrupt is taken away",
                    loop.sagaId(),
                    step.name());
        }
    }

    private AttemptEnd succeeded(@Nullable String result) {
        return AttemptEnd.succeeded(call, result, transactional, took());
    }

    private AttemptEnd failed(Throwable e) {
        Retry retry = step.retry(call.phase());
        return new AttemptEnd(
                call, outcome(retry, e), null, ResultFailed.error(e), retry.retries(e), transactional, took());
    }

    private Outcome outcome(Retry retry, Throwable e) {
        boolean onlyAsks = startsChild() || call.phase() == Phase.CONDITION || call.phase() == Phase.PROBE;
        if (ResultFailed.escaped(e)) {
            return onlyAsks ? Outcome.FAILED : Outcome.ESCAPED;
        }
        boolean mayReject = !(e instanceof ResultFailed) && call.phase() != Phase.PROBE;
        if (mayReject && retry.rejects(e)) {
            return Outcome.REJECTED;
        }
        if (timedOut) {
            return Outcome.TIMED_OUT;
        }
        return stopped || isRefusedStart(e) ? Outcome.INTERRUPTED : Outcome.FAILED;
    }

    /** A saga that this step starts is refused only because the node stops: another node goes on. */
    private boolean isRefusedStart(Throwable e) {
        return node.stopping()
                && e instanceof SagaStartException start
                && start.code().equals(Starts.NOT_RUNNING);
    }

    private void finish(Runnable tell) {
        if (stage.compareAndSet(Stage.RUNNING, Stage.ENDED)) {
            timeout.cancel();
            node.workers.done();
            tell.run();
        } else {
            log.warn(
                    "saga {} step {} attempt {} ended after it was given up; its result is refused",
                    loop.sagaId(),
                    step.name(),
                    call.attempt());
        }
    }

    private void timeIsUp() {
        if (stage.get() != Stage.RUNNING) {
            return;
        }
        timedOut = true;
        log.warn(
                "saga {} step {} attempt {} still runs after {}: interrupted, and given up in {}{}",
                loop.sagaId(),
                step.name(),
                call.attempt(),
                timeLimit(),
                node.tuning.abandonAfter(),
                run.stack());
        timeout = node.timer.after(node.tuning.abandonAfter(), this::giveUp);
        run.interrupt();
    }

    private void giveUp() {
        AttemptEnd end = new AttemptEnd(
                call,
                Outcome.ABANDONED,
                null,
                ErrorText.of("SAGA-STEP-001", "it did not end"),
                true,
                transactional,
                took());
        finish(() -> {
            if (transactional) {
                loop.transactionInDoubt(this, end);
            } else {
                loop.ended(this, end);
            }
        });
    }

    private Duration timeLimit() {
        return step.timeout(call.phase());
    }

    /** The deadline turns the saga, and binds what it would turn: neither what comes after the decision, nor what only asks. */
    private Duration budget() {
        boolean bound = call.phase() == Phase.ACTION || call.phase() == Phase.CONDITION;
        Duration deadline = bound ? loop.untilDeadline() : null;
        return deadline != null && deadline.compareTo(timeLimit()) < 0 ? deadline : timeLimit();
    }

    private Duration timeLeft() {
        return budget.minus(took());
    }

    private Duration took() {
        return Duration.ofNanos(node.clock.nanos() - began);
    }
}
