package io.backstep.saga.examples.order.participant;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cards that make a payment go wrong, one order at a time. Every other card is good. */
final class TestCards {
    private static final Map<String, Fault> CHARGES = Map.of(
            "declined", Fault.DECLINE,
            "hangs", Fault.HANG,
            "loses-reply", Fault.LOSE_REPLY,
            "loses-every-reply", Fault.LOSE_EVERY_REPLY,
            "cannot-refund", Fault.LOSE_EVERY_REPLY);
    private static final Map<String, Fault> REFUNDS = Map.of("cannot-refund", Fault.FAIL);

    private TestCards() {}

    static Fault onCharge(String card, Fault otherwise) {
        return CHARGES.getOrDefault(card, otherwise);
    }

    static Fault onRefund(@Nullable String card, Fault otherwise) {
        return card == null ? otherwise : REFUNDS.getOrDefault(card, otherwise);
    }
}
