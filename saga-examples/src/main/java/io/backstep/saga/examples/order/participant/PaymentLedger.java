package io.backstep.saga.examples.order.participant;

import io.backstep.saga.examples.order.participant.PaymentEntry.Status;
import jakarta.persistence.EntityManager;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The payment service's books: one entry for each idempotency key. The first answer is the answer; a refund without a charge
 * leaves a mark, and a charge that comes after a refund is refused.
 */
@Service
class PaymentLedger {
    private final PaymentRepository payments;
    private final EntityManager entities;

    PaymentLedger(PaymentRepository payments, EntityManager entities) {
        this.payments = payments;
        this.entities = entities;
    }

    @Transactional
    PaymentState charge(String key, String card, BigDecimal amount, boolean declined) {
        Optional<PaymentEntry> earlier = payments.locked(key);
        if (earlier.isPresent()) {
            return earlier.get().state(false);
        }
        return write(new PaymentEntry(key, newId(), card, amount, declined ? Status.DECLINED : Status.CHARGED));
    }

    @Transactional
    PaymentState refund(String key) {
        Optional<PaymentEntry> earlier = payments.locked(key);
        if (earlier.isEmpty()) {
            return write(new PaymentEntry(key, newId(), null, null, Status.REFUNDED_BEFORE));
        }
        boolean first = earlier.get().is(Status.CHARGED);
        if (first) {
            earlier.get().becomes(Status.REFUNDED);
        }
        return earlier.get().state(first);
    }

    @Transactional(readOnly = true)
    Optional<PaymentState> find(String key) {
        return payments.findById(key).map(entry -> entry.state(false));
    }

    @Transactional(readOnly = true)
    Optional<String> cardOf(String key) {
        return payments.findById(key).map(PaymentEntry::card);
    }

    private PaymentState write(PaymentEntry entry) {
        entities.persist(entry);
        return entry.state(true);
    }

    private static String newId() {
        return UUID.randomUUID().toString();
    }
}
