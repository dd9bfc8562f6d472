package io.backstep.saga.chaos;

import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.participant.Reservation;
import java.time.Duration;

/** The shapes of TCC: a far end and stock are tried side by side, and both are confirmed, or both cancelled. */
final class Tries {
    private static final Step<Done> HOLD = Step.named("hold", Done.class);
    private static final Step<Done> PAY = Step.named("pay", Done.class);
    private static final Step<Reservation> STOCK = Step.named(Stocks.STEP, Reservation.class);
    private static final Retry OFTEN =
            Retry.fixed(Duration.ofMillis(20)).maxAttempts(1000); // while the database is away
    private static final Retry EVER = Retry.fixed(Duration.ofMillis(20)).forever();

    private final Far far;
    private final Stocks stocks;

    Tries(Far far, Stocks stocks) {
        this.far = far;
        this.stocks = stocks;
    }

    SagaDefinition<Task> confirmed() {
        return both(Shapes.TCC).build();
    }

    /** The no comes when stock is held, and perhaps the other is not yet. */
    SagaDefinition<Task> cancelled() {
        return both(Shapes.TCC_REJECTED)
                .tcc(PAY)
                .after(STOCK)
                .tryAction(c -> far.act(c, Mood.REJECTS))
                .confirm((c, done) -> far.confirm(c, Mood.WELL))
                .cancel((c, done) -> far.undo(c, Mood.WELL))
                .build();
    }

    private SagaStage<Task> both(String shape) {
        return Tcc.define(Shapes.type(shape))
                .tcc(HOLD)
                .tryAction(c -> far.act(c, Mood.SLOW))
                .confirm((c, done) -> far.confirm(c, Mood.FAILS_TWICE))
                .cancel((c, done) -> far.undo(c, Mood.SLOW))
                .retry(OFTEN)
                .compensationRetry(OFTEN)
                .confirmRetry(EVER)
                .tcc(STOCK)
                .tryAction(stocks::tryReserve)
                .confirm((c, held) -> stocks.confirm(c))
                .cancel((c, held) -> stocks.cancel(c))
                .retry(OFTEN)
                .compensationRetry(OFTEN)
                .confirmRetry(EVER);
    }
}
