package io.backstep.saga.examples.order.participant;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.examples.order.participant.PaymentEntry.Status;
import java.math.BigDecimal;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Each call is a transaction of its own, as in the service. */
@DataJpaTest(showSql = false)
@Import(PaymentLedger.class)
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class PaymentLedgerIT {
    private static final BigDecimal TEN = new BigDecimal("10.00");

    @Autowired
    PaymentLedger ledger;

    private final String key = UUID.randomUUID().toString();

    @Test
    void a_duplicate_charge_gets_the_first_answer() {
        PaymentState first = charge(false);
        PaymentState second = charge(false);

        assertThat(first.status()).isEqualTo(Status.CHARGED);
        assertThat(first.first()).isTrue();
        assertThat(second.first()).isFalse();
        assertThat(second.paymentId()).isEqualTo(first.paymentId());
        assertThat(second.status()).isEqualTo(Status.CHARGED);
    }

    @Test
    void declined_stays_declined() {
        charge(true);

        assertThat(charge(false).status()).isEqualTo(Status.DECLINED);
    }

    @Test
    void a_duplicate_refund_has_no_second_effect() {
        charge(false);

        assertThat(ledger.refund(key).first()).isTrue();
        assertThat(ledger.refund(key).first()).isFalse();
        assertThat(ledger.find(key)).map(PaymentState::status).contains(Status.REFUNDED);
    }

    @Test
    void a_refund_of_nothing_leaves_a_mark_that_refuses_a_late_charge() {
        ledger.refund(key);
        ledger.refund(key);

        assertThat(charge(false).status()).isEqualTo(Status.REFUNDED_BEFORE);
        assertThat(ledger.find(key)).map(PaymentState::status).contains(Status.REFUNDED_BEFORE);
    }

    @Test
    void a_charge_that_comes_again_after_its_refund_is_refused() {
        charge(false);
        ledger.refund(key);

        assertThat(charge(false).status()).isEqualTo(Status.REFUNDED);
    }

    @Test
    void a_refund_of_a_declined_charge_changes_nothing() {
        charge(true);

        assertThat(ledger.refund(key).status()).isEqualTo(Status.DECLINED);
    }

    private PaymentState charge(boolean declined) {
        return ledger.charge(key, "ok", TEN, declined);
    }
}
