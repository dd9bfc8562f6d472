package io.backstep.saga.examples.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

/** What the order service sees of payments and mail, over HTTP. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@ActiveProfiles("test")
@TestPropertySource(properties = "spring.datasource.url=jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1")
class ParticipantsIT {
    private static final BigDecimal TEN = new BigDecimal("10.00");

    @LocalServerPort
    int port;

    @Autowired
    Payments payments;

    @Autowired
    Mail mail;

    private final String id = UUID.randomUUID().toString();
    private final String key = id + ":process-payment";
    private OrderApi api;

    @BeforeEach
    void connect() {
        api = new OrderApi(port);
    }

    @AfterEach
    void repair() {
        api.fault("payments", "NONE");
        api.fault("refunds", "NONE");
        api.fault("mail", "NONE");
    }

    @Test
    void a_duplicate_charge_gets_the_first_answer() {
        Payment first = payments.charge(key, "ok", TEN);

        assertThat(payments.charge(key, "ok", TEN)).isEqualTo(first);
        assertThat(first.amount()).isEqualByComparingTo(TEN);
    }

    @Test
    void a_no_is_told_from_everything_else() {
        api.fault("payments", "DECLINE");
        assertThatThrownBy(() -> payments.charge(key, "ok", TEN)).isInstanceOf(PaymentDeclined.class);

        api.fault("payments", "FAIL");
        assertThatThrownBy(() -> payments.charge("2" + key, "ok", TEN)).isInstanceOf(HttpServerErrorException.class);
    }

    @Test
    void a_lost_reply_is_an_effect_without_an_answer() {
        api.fault("payments", "LOSE_REPLY");

        assertThatThrownBy(() -> payments.charge(key, "ok", TEN)).isInstanceOf(HttpServerErrorException.class);

        assertThat(api.payment(id)).isEqualTo("CHARGED");
        assertThat(payments.charge(key, "ok", TEN).amount()).isEqualByComparingTo(TEN);
    }

    @Test
    void a_charge_that_hangs_is_late_and_refused_after_its_refund() {
        api.fault("payments", "HANG");
        assertThatThrownBy(() -> payments.charge(key, "ok", TEN)).isInstanceOf(ResourceAccessException.class);

        payments.refund(key);
        api.fault("payments", "NONE");

        assertThatThrownBy(() -> payments.charge(key, "ok", TEN)).isInstanceOf(PaymentDeclined.class);
        assertThat(api.payment(id)).isEqualTo("REFUNDED_BEFORE");
    }

    @Test
    void a_refund_can_fail_or_lose_its_reply() {
        payments.charge(key, "ok", TEN);
        api.fault("refunds", "FAIL");
        assertThatThrownBy(() -> payments.refund(key)).isInstanceOf(HttpServerErrorException.class);
        assertThat(api.payment(id)).isEqualTo("CHARGED");

        api.fault("refunds", "LOSE_REPLY");
        assertThatThrownBy(() -> payments.refund(key)).isInstanceOf(HttpServerErrorException.class);

        assertThat(api.payment(id)).isEqualTo("REFUNDED");
        payments.refund(key);
    }

    @Test
    void a_mail_whose_reply_is_lost_was_sent() {
        api.fault("mail", "LOSE_EVERY_REPLY");

        assertThatThrownBy(() -> mail.confirmation(id, "ann", new Payment("1", TEN)))
                .isInstanceOf(HttpServerErrorException.class);

        assertThat(api.get("/participants/mail/" + id).text()).isEqualTo("ann: Thank you for your payment of 10.00");
    }
}
