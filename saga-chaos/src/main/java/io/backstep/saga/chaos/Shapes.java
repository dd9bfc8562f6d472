package io.backstep.saga.chaos;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;

/** The shapes that sagas have: one definition for each. A step whose name begins with "naive-" has a far end that knows no keys. */
public final class Shapes {
    /** Every step succeeds. */
    public static final String COMPLETING = "completing";
    /** A far end says no in the middle. */
    public static final String REJECTED = "rejected";
    /** A far end does it, and no answer ever comes. */
    public static final String UNKNOWN = "unknown";
    /** Only transactional steps. */
    public static final String TRANSACTIONAL = "transactional";
    /** Only transactional steps; the last says no. */
    public static final String TRANSACTIONAL_REJECTED = "transactional-rejected";
    /** A remote pivot, and retriable steps that fail at first. */
    public static final String PIVOT = "pivot";
    /** Best-effort steps, one of which is given up. */
    public static final String BEST_EFFORT = "best-effort";
    /** A compensation that fails some times. */
    public static final String UNDO_FAILS = "undo-fails";
    /** A compensation that fails until an operator has mended it: parks. */
    public static final String UNDO_STUCK = "undo-stuck";
    /** Whoever starts it cancels it soon. */
    public static final String CANCELLED = "cancelled";
    /** Fails until its deadline. */
    public static final String DEADLINE = "deadline";
    /** Tries side by side, all of which are confirmed. */
    public static final String TCC = "tcc";
    /** The same, one of which says no. */
    public static final String TCC_REJECTED = "tcc-rejected";
    /** Branches side by side, one of which is left out by its condition, and their join. */
    public static final String BRANCHES = "branches";
    /** The same; one says no while another runs. */
    public static final String BRANCHES_REJECTED = "branches-rejected";
    /** Waits for an answer. */
    public static final String ANSWERED = "answered";
    /** The same, for a moment only. */
    public static final String UNANSWERED = "unanswered";
    /** Has a child. */
    public static final String PARENT = "parent";
    /** Has a child, which has completed when the parent's last step says no. */
    public static final String PARENT_REJECTED = "parent-rejected";
    /** A far end does it, no answer comes, and its probe finds it. */
    public static final String PROBED = "probed";

    /** All of them. */
    public static final List<String> ALL = List.of(
            COMPLETING,
            REJECTED,
            UNKNOWN,
            TRANSACTIONAL,
            TRANSACTIONAL_REJECTED,
            PIVOT,
            BEST_EFFORT,
            UNDO_FAILS,
            UNDO_STUCK,
            CANCELLED,
            DEADLINE,
            TCC,
            TCC_REJECTED,
            BRANCHES,
            BRANCHES_REJECTED,
            ANSWERED,
            UNANSWERED,
            PARENT,
            PARENT_REJECTED,
            PROBED);

    private static final Step<Done> RESERVE = Step.named("reserve", Done.class);
    private static final Step<Done> PAY = Step.named("pay", Done.class);
    private static final Retry SOON = Retry.fixed(Duration.ofMillis(20)).maxAttempts(4);
    private static final Retry TWICE = Retry.fixed(Duration.ofMillis(20)).maxAttempts(2);
    private static final Retry LONG = Retry.fixed(Duration.ofMillis(50)).maxAttempts(1000);

    private final Far far;
    private final Near near;
    private final Tries tries;
    private final Toolbox toolbox;

    /**
     * Makes the shapes of one node.
     *
     * @param far the remote ends
     * @param near the transactional ones
     * @param stocks what is reserved
     */
    public Shapes(Far far, Near near, Stocks stocks) {
        this.far = far;
        this.near = near;
        this.tries = new Tries(far, stocks);
        this.toolbox = new Toolbox(far, near);
    }

    /**
     * The type of a shape.
     *
     * @param shape one of {@link #ALL}
     * @return its type
     */
    public static SagaType<Task> type(String shape) {
        return SagaType.named(shape, Task.class);
    }

    static boolean careful(String step) {
        return !step.startsWith("naive-");
    }

    /**
     * All definitions.
     *
     * @return one for each shape, and that of children
     */
    public List<SagaDefinition<Task>> definitions() {
        return List.of(
                completing(),
                rejected(),
                unknown(),
                transactional(),
                transactionalRejected(),
                pivot(),
                bestEffort(),
                undoFails(),
                undoStuck(),
                cancelled(),
                deadline(),
                tries.confirmed(),
                tries.cancelled(),
                toolbox.branches(BRANCHES, Mood.WELL),
                toolbox.branches(BRANCHES_REJECTED, Mood.REJECTS),
                toolbox.waits(ANSWERED, Duration.ofSeconds(15)),
                toolbox.waits(UNANSWERED, Duration.ofSeconds(1)),
                toolbox.parent(PARENT, Mood.WELL),
                toolbox.parent(PARENT_REJECTED, Mood.REJECTS),
                toolbox.child(),
                toolbox.probed(PROBED));
    }

    private SagaDefinition<Task> completing() {
        return Saga.define(type(COMPLETING))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.SLOW))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step("naive-note")
                .action(c -> far.act(c, Mood.WELL))
                .compensate(c -> far.undo(c, Mood.WELL))
                .pivot("confirm")
                .transactional()
                .action(near::act)
                .retriable("ship")
                .action(c -> far.act(c, Mood.WELL))
                .bestEffort("mail")
                .action(c -> far.act(c, Mood.WELL))
                .build();
    }

    private SagaDefinition<Task> rejected() {
        return Saga.define(type(REJECTED))
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.SLOW))
                .retry(SOON)
                .step(PAY)
                .action(c -> far.act(c, Mood.REJECTS))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .build();
    }

    private SagaDefinition<Task> unknown() {
        return Saga.define(type(UNKNOWN))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(PAY)
                .action(c -> far.act(c, Mood.LOSES_REPLY))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(TWICE)
                .build();
    }

    private SagaDefinition<Task> transactional() {
        return Saga.define(type(TRANSACTIONAL))
                .step("one")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step("two")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .pivot("three")
                .transactional()
                .action(near::act)
                .retriable("four")
                .transactional()
                .action(near::act)
                .build();
    }

    private SagaDefinition<Task> transactionalRejected() {
        return Saga.define(type(TRANSACTIONAL_REJECTED))
                .step("one")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step("two")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step("three")
                .transactional()
                .action(near::reject)
                .compensate(near::undo)
                .build();
    }

    private SagaDefinition<Task> pivot() {
        return Saga.define(type(PIVOT))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .pivot("charge")
                .action(c -> far.act(c, Mood.SLOW))
                .retriable("ship")
                .action(c -> far.act(c, Mood.FAILS_TWICE))
                .retry(Retry.fixed(Duration.ofMillis(20)).forever())
                .retriable("close")
                .transactional()
                .action(near::act)
                .build();
    }

    private SagaDefinition<Task> bestEffort() {
        return Saga.define(type(BEST_EFFORT))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .bestEffort("naive-mail")
                .action(c -> far.act(c, Mood.FAILS))
                .retry(TWICE)
                .bestEffort("count")
                .transactional()
                .action(near::act)
                .bestEffort("call")
                .action(c -> far.act(c, Mood.WELL))
                .build();
    }

    private SagaDefinition<Task> undoFails() {
        return Saga.define(type(UNDO_FAILS))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.FAILS_TWICE))
                .retry(SOON)
                .compensationRetry(SOON)
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(PAY)
                .action(c -> far.act(c, Mood.REJECTS))
                .compensate((c, done) -> far.undo(c, Mood.FAILS_TWICE))
                .compensationRetry(SOON)
                .build();
    }

    private SagaDefinition<Task> undoStuck() {
        return Saga.define(type(UNDO_STUCK))
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.FAILS))
                .retry(SOON)
                .compensationRetry(TWICE)
                .step(PAY)
                .action(c -> far.act(c, Mood.LOSES_REPLY))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(TWICE)
                .build();
    }

    private SagaDefinition<Task> cancelled() {
        return Saga.define(type(CANCELLED))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.SLOW))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(PAY)
                .action(c -> far.act(c, Mood.SLOW))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .build();
    }

    private SagaDefinition<Task> deadline() {
        return Saga.define(type(DEADLINE))
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(LONG)
                .timeout(Duration.ofSeconds(1))
                .step(PAY)
                .action(c -> far.act(c, Mood.FAILS))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(LONG)
                .timeout(Duration.ofSeconds(1))
                .deadline(Duration.ofSeconds(1))
                .build();
    }
}
