package io.backstep.saga.examples.transfer;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.jdbc.TwoPhaseParticipant;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Prepared;
import java.time.Duration;

/** The transfer: both databases prepare, side by side; when both have, both commit, else both roll back. */
public final class TransferSaga {
    /** Its type. */
    public static final SagaType<Transfer> TYPE = SagaType.named("transfer", Transfer.class);

    /** Takes the money here. */
    public static final Step<Prepared> DEBIT = Step.named("debit", Prepared.class);

    /** Gives it there. */
    public static final Step<Prepared> CREDIT = Step.named("credit", Prepared.class);

    private TransferSaga() {}

    static SagaDefinition<Transfer> definition(TwoPhaseParticipant debit, TwoPhaseParticipant credit) {
        return Tcc.define(TYPE)
                .tcc(DEBIT)
                .tryAction(c -> debit.prepare(
                        c.idempotencyKey(),
                        connection -> Accounts.take(
                                connection, c.input().from(), c.input().cents())))
                .confirm((c, prepared) -> debit.commit(c.idempotencyKey()))
                .cancel((c, prepared) -> debit.rollback(c.idempotencyKey()))
                .tcc(CREDIT)
                .tryAction(c -> credit.prepare(
                        c.idempotencyKey(),
                        connection -> Accounts.give(
                                connection, c.input().to(), c.input().cents())))
                .confirm((c, prepared) -> credit.commit(c.idempotencyKey()))
                .cancel((c, prepared) -> credit.rollback(c.idempotencyKey()))
                .deadline(Duration.ofMinutes(1)) // locks are held meanwhile
                .build();
    }
}
