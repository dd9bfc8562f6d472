package io.backstep.saga.chaos;

import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import java.time.Duration;
import java.util.Optional;

/**
 * Sagas of which there are two versions. The second lacks "check", has "charge" for "pay", and has "book" before "reserve". Each step's code says
 * itself what it was written for, and some far ends fail for so long that sagas are under way when the nodes are replaced.
 */
final class Deployed {
    static final String SHAPE = "deployed";

    private static final Step<Done> RESERVE = Step.named("reserve", Done.class);
    private static final Step<Done> CHECK = Step.named("check", Done.class);
    private static final Step<Done> PAY = Step.named("pay", Done.class);
    private static final Step<Done> CHARGE = Step.named("charge", Done.class);

    private final Far far;
    private final Near near;
    private final Retry retry;

    Deployed(Far far, Near near, Duration wait) {
        this.far = far;
        this.near = near;
        this.retry = Retry.fixed(wait).maxAttempts(1000); // only a far end says that it is over
    }

    SagaDefinition<Task> version(int version) {
        return version == 1 ? first() : second();
    }

    private SagaDefinition<Task> first() {
        String me = SHAPE + " v1";
        return Saga.define(Shapes.type(SHAPE))
                .step(RESERVE)
                .action(c -> far.act(c, new Part(me, "reserve"), Mood.SLOW))
                .compensate((c, done) -> undo(c, done, new Part(me, "reserve"), fails(c, 16, 2)))
                .retry(retry)
                .compensationRetry(retry)
                .step("book")
                .transactional()
                .action(c -> near.act(c, new Part(me, "book")))
                .compensate(c -> near.undo(c, new Part(me, "book")))
                .retry(retry)
                .compensationRetry(retry)
                .step(CHECK)
                .action(c -> far.act(c, new Part(me, "check"), fails(c, 3, 0)))
                .compensate((c, done) -> undo(c, done, new Part(me, "check"), Mood.WELL))
                .retry(retry)
                .compensationRetry(retry)
                .step(PAY)
                .action(c -> far.act(c, new Part(me, "pay"), rejects(c, 8, 1, fails(c, 4, 0))))
                .compensate((c, done) -> undo(c, done, new Part(me, "pay"), fails(c, 16, 10)))
                .retry(retry)
                .compensationRetry(retry)
                .step("deliver")
                .action(c -> deliver(c, PAY, new Part(me, "deliver")))
                .compensate(c -> far.undo(c, new Part(me, "deliver"), Mood.WELL))
                .retry(retry)
                .pivot("close")
                .transactional()
                .action(c -> near.act(c, new Part(me, "close")))
                .retry(retry)
                .build();
    }

    private SagaDefinition<Task> second() {
        String me = SHAPE + " v2";
        return Saga.define(Shapes.type(SHAPE))
                .version(2)
                .step("book")
                .transactional()
                .action(c -> near.act(c, new Part(me, "book")))
                .compensate(c -> near.undo(c, new Part(me, "book")))
                .retry(retry)
                .compensationRetry(retry)
                .step(RESERVE)
                .action(c -> far.act(c, new Part(me, "reserve"), Mood.SLOW))
                .compensate((c, done) -> undo(c, done, new Part(me, "reserve"), fails(c, 16, 2)))
                .retry(retry)
                .compensationRetry(retry)
                .step(CHARGE)
                .action(c -> far.act(c, new Part(me, "charge"), rejects(c, 8, 1, fails(c, 4, 0))))
                .compensate((c, done) -> undo(c, done, new Part(me, "charge"), fails(c, 16, 10)))
                .retry(retry)
                .compensationRetry(retry)
                .step("deliver")
                .action(c -> deliver(c, CHARGE, new Part(me, "deliver")))
                .compensate(c -> far.undo(c, new Part(me, "deliver"), Mood.WELL))
                .retry(retry)
                .pivot("close")
                .transactional()
                .action(c -> near.act(c, new Part(me, "close")))
                .retry(retry)
                .build();
    }

    private void deliver(StepContext<Task> context, Step<Done> paid, Part part) throws Exception {
        own(context, context.result(paid), paid.name());
        far.act(context, part, rejects(context, 8, 2, fails(context, 8, 3)));
    }

    private void undo(StepContext<Task> context, Optional<Done> done, Part part, Mood mood) throws Exception {
        done.ifPresent(result -> own(context, result, part.step()));
        far.undo(context, part, mood);
    }

    /** A result of another step is never taken: a saga that is handed one does not end. */
    private static void own(StepContext<Task> context, Done done, String step) {
        if (!done.key().equals(context.sagaId() + ":" + step)) {
            throw new IllegalStateException("the result of " + step + " is " + done);
        }
    }

    private static Mood fails(StepContext<Task> context, int of, int rest) {
        return Math.floorMod(context.input().number(), of) == rest ? Mood.FAILS_TWICE : Mood.WELL;
    }

    private static Mood rejects(StepContext<Task> context, int of, int rest, Mood otherwise) {
        return Math.floorMod(context.input().number(), of) == rest ? Mood.REJECTS : otherwise;
    }
}
