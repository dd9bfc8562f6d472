package io.backstep.saga.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;
import tools.jackson.databind.JsonNode;

/** What an operator does with orders that are parked, over HTTP, whatever the database. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@ActiveProfiles("test")
abstract class OperatorContract {
    @LocalServerPort
    int port;

    @Autowired
    OperatorLogin login;

    private OrderApi shop;
    private OperatorApi operator;

    @BeforeEach
    void connect() {
        shop = new OrderApi(port);
        operator = new OperatorApi(port, OperatorLogin.USER, login.password());
    }

    @AfterEach
    void repair() {
        shop.fault("refunds", "NONE");
    }

    @Test
    void one_parked_order_is_refunded_after_all_and_another_is_ended_by_hand() {
        shop.fault("refunds", "FAIL");
        String mendable = parked("loses-every-reply");
        String hopeless = parked("cannot-refund");
        assertThat(operator.parked()).contains(mendable, hopeless);

        shop.fault("refunds", "NONE");
        assertThat(operator.act(mendable, "retry-compensation", "refunds are mended")
                        .status())
                .isEqualTo(200);
        assertThat(operator.act(hopeless, "force-complete", "paid back by bank transfer")
                        .status())
                .isEqualTo(200);

        JsonNode refunded = shop.awaitSaga(mendable, "COMPENSATED");
        assertThat(refunded.at("/order/status").asString()).isEqualTo("REJECTED");
        assertThat(shop.payment(mendable)).isEqualTo("REFUNDED");
        assertThat(shop.order(hopeless).path("saga").asString()).isEqualTo("FORCE_COMPLETED");
        assertThat(shop.payment(hopeless)).isEqualTo("CHARGED");
        assertThat(operator.parked()).doesNotContain(mendable, hopeless);
        assertThat(operator.audit(mendable))
                .containsExactly(
                        "operator retry-compensation: FAILED (COMPENSATION_EXHAUSTED) > COMPENSATING (ATTEMPTS_EXHAUSTED), refunds are mended");
        assertThat(operator.audit(hopeless))
                .containsExactly(
                        "operator force-complete: FAILED (COMPENSATION_EXHAUSTED) > FORCE_COMPLETED, paid back by bank transfer");
    }

    @Test
    void nobody_else_looks_or_acts() {
        String id = parked("cannot-refund");
        OperatorApi anybody = OperatorApi.withoutLogin(port);
        OperatorApi guesser = new OperatorApi(port, OperatorLogin.USER, "operator");

        assertThat(anybody.get("?status=FAILED").status()).isEqualTo(401);
        assertThat(anybody.act(id, "force-complete", "mine").status()).isEqualTo(401);
        assertThat(guesser.get("?status=FAILED").status()).isEqualTo(401);
        assertThat(guesser.act(id, "force-complete", "mine").status()).isEqualTo(401);
        assertThat(operator.from("https://evil.example")
                        .act(id, "force-complete", "mine")
                        .status())
                .isEqualTo(403);
        assertThat(operator.audit(id)).isEmpty();
        assertThat(operator.parked()).contains(id);
    }

    @Test
    void an_operator_does_not_see_what_customers_have_sent() {
        String id = parked("cannot-refund");

        JsonNode detail = operator.get("/" + id).json();

        assertThat(detail.at("/instance/status").asString()).isEqualTo("FAILED");
        assertThat(detail.at("/instance/input").asString()).isEqualTo("***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/health",
                "/actuator/prometheus",
                "/stock/book",
                "/participants/payments/mode",
                "/participants/refunds/mode",
                "/participants/mail/mode"
            })
    void the_shop_and_its_health_are_open(String path) {
        assertThat(shop.get(path).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator", "/actuator/metrics", "/admin", "/error", "/what-comes-later"})
    void everything_else_needs_the_login(String path) {
        assertThat(shop.get(path).status()).isEqualTo(401);
        assertThat(operator.absolute(path).status()).isNotIn(401, 403);
    }

    private String parked(String card) {
        String id = shop.place(card).orderId();
        shop.awaitSaga(id, "FAILED");
        return id;
    }
}
