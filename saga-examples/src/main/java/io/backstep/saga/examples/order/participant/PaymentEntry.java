package io.backstep.saga.examples.order.participant;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** What became of one idempotency key. A mark (a refund that came before its charge) has no card and no amount. */
@Entity
@Table(name = "payment")
class PaymentEntry {
    enum Status {
        CHARGED,
        DECLINED,
        REFUNDED,
        /** Refunded without ever having been charged: a charge that comes now is refused. */
        REFUNDED_BEFORE
    }

    @Id
    private String idempotencyKey;

    private String paymentId;
    private @Nullable String card;
    private @Nullable BigDecimal amount;

    @Enumerated(EnumType.STRING)
    private Status status;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected PaymentEntry() {}

    PaymentEntry(String key, String paymentId, @Nullable String card, @Nullable BigDecimal amount, Status status) {
        this.idempotencyKey = key;
        this.paymentId = paymentId;
        this.card = card;
        this.amount = amount;
        this.status = status;
    }

    boolean is(Status other) {
        return status == other;
    }

    void becomes(Status next) {
        status = next;
    }

    @Nullable
    String card() {
        return card;
    }

    PaymentState state(boolean first) {
        return new PaymentState(paymentId, amount, status, first);
    }
}
