package io.backstep.saga.examples.order.participant;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What the payment service knows about an idempotency key.
 *
 * @param paymentId its own id
 * @param amount how much, or null when it was never asked for
 * @param status where it stands
 * @param first whether this very call made it so
 */
record PaymentState(
        String paymentId,
        @Nullable BigDecimal amount,
        PaymentEntry.Status status,
        @JsonIgnore boolean first) {}
