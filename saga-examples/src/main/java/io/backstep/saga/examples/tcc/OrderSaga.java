package io.backstep.saga.examples.tcc;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.jdbc.JdbcReservations;
import io.backstep.saga.participant.Reservation;
import java.time.Duration;

/** The order: stock and money are held side by side; when both are, both are taken, else both are given back. */
public final class OrderSaga {
    /** Its type. */
    public static final SagaType<Order> TYPE = SagaType.named("tcc-order", Order.class);

    /** The stock. */
    public static final Step<Reservation> RESERVE = Step.named("reserve", Reservation.class);

    /** The money. */
    public static final Step<Held> PAY = Step.named("pay", Held.class);

    /** Longer than the saga can take. */
    private static final Duration EXPIRES_AFTER = Duration.ofMinutes(15);

    private OrderSaga() {}

    static SagaDefinition<Order> definition(JdbcReservations reservations, Wallets wallets) {
        return Tcc.define(TYPE)
                .tcc(RESERVE)
                .tryAction(c -> reservations.tryReserve(
                        c.idempotencyKey(), c.input().item(), c.input().quantity(), EXPIRES_AFTER))
                .confirm((c, reservation) -> reservations.confirm(c.idempotencyKey()))
                .cancel((c, reservation) -> reservations.cancel(c.idempotencyKey()))
                .tcc(PAY)
                .tryAction(c -> wallets.hold(
                        c.idempotencyKey(), c.input().customer(), c.input().cents()))
                .confirm((c, held) -> wallets.take(c.idempotencyKey()))
                .cancel((c, held) -> wallets.giveBack(c.idempotencyKey()))
                .deadline(Duration.ofMinutes(5))
                .build();
    }
}
