package io.backstep.saga.chaos;

import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;

/** The shapes with branches and conditions, with waits, with children, and with a probe. */
public final class Toolbox {
    /** What is waited for. */
    public static final Step<Done> ANSWER = Step.named("answer", Done.class);

    /** A step whose condition does not hold. */
    static final String NEVER = "never";

    private static final String CHILD = "child";
    private static final Step<Done> RESERVE = Step.named("reserve", Done.class);
    private static final Step<Done> PAY = Step.named("pay", Done.class);
    private static final Step<Done> SHIP = Step.named("ship", Done.class);
    private static final Step<Done> TRACK = Step.named("track", Done.class);
    private static final Duration A_WHILE = Duration.ofMillis(100);
    private static final Retry SOON = Retry.fixed(Duration.ofMillis(20)).maxAttempts(4);

    private final Far far;
    private final Near near;

    Toolbox(Far far, Near near) {
        this.far = far;
        this.near = near;
    }

    /** Four branches and their join: slow, transactional, left out, and one whose second step may say no while the slow one runs. */
    SagaDefinition<Task> branches(String shape, Mood pay) {
        return Saga.define(Shapes.type(shape))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.SLOW))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("book")
                .afterStart()
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(NEVER)
                .afterStart()
                .onlyIf(c -> far.asked("condition", false))
                .action(c -> far.act(c, Mood.WELL))
                .compensate(c -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("extra")
                .afterStart()
                .onlyIf(c -> far.asked("condition", true))
                .action(c -> far.act(c, Mood.WELL))
                .compensate(c -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step(PAY)
                .after("extra")
                .action(c -> far.act(c, pay))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("close")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .build();
    }

    /** Lets time pass, then waits for an answer. */
    SagaDefinition<Task> waits(String shape, Duration longest) {
        return Saga.define(Shapes.type(shape))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .delay("pause", A_WHILE)
                .awaitSignal(ANSWER, longest)
                .step("close")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .build();
    }

    /** Has a child, which is undone when the last step says no. */
    SagaDefinition<Task> parent(String shape, Mood pay) {
        return Saga.define(Shapes.type(shape))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step(SHIP)
                .startSaga(Shapes.type(CHILD), c -> far.asked("child", c.input()), TRACK)
                .retry(SOON)
                .step(PAY)
                .action(c -> far.act(c, pay))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .build();
    }

    /** Nobody else starts it. */
    SagaDefinition<Task> child() {
        return Saga.define(Shapes.type(CHILD))
                .step("book")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .step(TRACK)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .build();
    }

    /** No call is ever answered; who asks afterwards is told that it was done. */
    SagaDefinition<Task> probed(String shape) {
        return Saga.define(Shapes.type(shape))
                .step(RESERVE)
                .action(c -> far.act(c, Mood.WELL))
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step(PAY)
                .action(c -> far.act(c, Mood.LOSES_REPLY))
                .probe(far::probe)
                .compensate((c, done) -> far.undo(c, Mood.WELL))
                .retry(SOON)
                .step("close")
                .transactional()
                .action(near::act)
                .compensate(near::undo)
                .build();
    }
}
