package io.backstep.saga.examples.order;

import static io.backstep.saga.examples.order.OrderApi.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;
import tools.jackson.databind.JsonNode;

/** The order service over HTTP, whatever its database. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@ActiveProfiles("test")
abstract class OrderServiceContract {
    @LocalServerPort
    int port;

    private OrderApi api;
    private int stockBefore;

    @BeforeEach
    void count() {
        api = new OrderApi(port);
        stockBefore = api.stock("book");
    }

    @AfterEach
    void repair() {
        Stream.of("payments", "refunds", "mail").forEach(line -> api.fault(line, "NONE"));
    }

    @Test
    void an_order_completes() {
        OrderApi.Answer answer = api.place("ok");

        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.headers().getFirst("Location")).endsWith("/orders/" + answer.orderId());
        JsonNode order = api.order(answer.orderId());
        assertThat(order.path("saga").asString()).isEqualTo("COMPLETED");
        assertThat(order.at("/order/status").asString()).isEqualTo("SHIPPED");
        assertThat(log(order, "ACTION"))
                .containsExactly(
                        "create-order SUCCEEDED",
                        "reserve-inventory SUCCEEDED",
                        "process-payment SUCCEEDED",
                        "confirm-order SUCCEEDED",
                        "ship SUCCEEDED",
                        "send-confirmation SUCCEEDED");
        assertThat(order.path("compensations")).isEmpty();
        assertThat(api.payment(answer.orderId())).isEqualTo("CHARGED");
        assertThat(api.get("/participants/mail/" + answer.orderId() + ":send-confirmation")
                        .status())
                .isEqualTo(200);
        assertStock(2, 0);
    }

    @Test
    void a_declined_order_is_undone_in_reverse_order() {
        OrderApi.Answer answer = api.place("declined");

        assertThat(answer.status()).isEqualTo(201);
        JsonNode order = api.order(answer.orderId());
        assertThat(order.path("saga").asString()).isEqualTo("COMPENSATED");
        assertThat(order.path("reason").asString()).isEqualTo("REJECTED");
        assertThat(order.at("/order/status").asString()).isEqualTo("REJECTED");
        assertThat(log(order, "ACTION")).endsWith("process-payment REJECTED");
        assertThat(log(order, "COMPENSATION")).containsExactly("reserve-inventory SUCCEEDED", "create-order SUCCEEDED");
        assertThat(api.payment(answer.orderId())).isEqualTo("DECLINED");
        assertStock(0, 0);
    }

    @Test
    void a_payment_whose_reply_is_lost_is_charged_once() {
        JsonNode order = api.awaitSaga(api.place("loses-reply").orderId(), "COMPLETED");

        assertThat(log(order, "ACTION"))
                .containsSubsequence("process-payment FAILED", "process-payment SUCCEEDED", "confirm-order SUCCEEDED");
        assertStock(2, 0);
    }

    @Test
    void a_payment_of_which_nobody_knows_is_refunded_first() {
        String id = api.place("loses-every-reply").orderId();

        JsonNode order = api.awaitSaga(id, "COMPENSATED");

        assertThat(order.path("reason").asString()).isEqualTo("ATTEMPTS_EXHAUSTED");
        assertThat(log(order, "COMPENSATION"))
                .containsExactly("process-payment SUCCEEDED", "reserve-inventory SUCCEEDED", "create-order SUCCEEDED");
        assertThat(api.payment(id)).isEqualTo("REFUNDED");
        assertStock(0, 0);
    }

    @Test
    void a_refund_that_fails_for_ever_parks_the_saga_when_the_others_are_undone() {
        OrderApi.Answer answer = api.place("cannot-refund");

        assertThat(answer.status()).isEqualTo(202);
        JsonNode order = api.awaitSaga(answer.orderId(), "FAILED");
        assertThat(order.path("reason").asString()).isEqualTo("COMPENSATION_EXHAUSTED");
        assertThat(order.at("/order/status").asString()).isEqualTo("REJECTED");
        assertThat(undone(order))
                .containsExactly(
                        "process-payment FAILED 3", "reserve-inventory SUCCEEDED 0", "create-order SUCCEEDED 0");
        assertThat(order.at("/compensations/0/lastError").asString()).contains("503");
        assertThat(api.payment(answer.orderId())).isEqualTo("CHARGED");
        assertStock(0, 0);
    }

    @Test
    void a_mail_that_fails_undoes_nothing() {
        api.fault("mail", "FAIL");

        JsonNode order = api.awaitSaga(api.place("ok").orderId(), "COMPLETED");

        assertThat(order.at("/order/status").asString()).isEqualTo("SHIPPED");
        assertThat(order.at("/steps/5/status").asString()).isEqualTo("GIVEN_UP");
    }

    @Test
    void an_order_that_takes_long_is_accepted_and_goes_on() {
        api.fault("payments", "HANG");

        OrderApi.Answer answer = api.place("ok");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.headers().getFirst("Location")).endsWith("/orders/" + answer.orderId());
        assertThat(answer.json().path("saga").asString()).isEqualTo("RUNNING");
        assertThat(api.reserved("book")).isEqualTo(2);
        api.fault("payments", "NONE");
        api.awaitSaga(answer.orderId(), "COMPLETED");
        assertStock(2, 0);
    }

    @Test
    void the_same_reference_is_the_same_order() {
        Map<String, Object> body = OrderApi.order("book", 2, "ok");

        OrderApi.Answer first = api.place(body);
        OrderApi.Answer second = api.place(body);

        assertThat(second.status()).isEqualTo(201);
        assertThat(second.orderId()).isEqualTo(first.orderId());
        assertStock(2, 0);
        assertThat(api.place(with(body, "quantity", 3)).status()).isEqualTo(409);
    }

    @Test
    void goods_are_never_sold_twice() {
        List<JsonNode> ended = IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> api.place(OrderApi.order("lamp", 1, i % 4 == 0 ? "declined" : "ok")))
                .map(answer -> api.awaitEnd(answer.orderId()))
                .toList();

        long shipped = ended.stream()
                .filter(order -> order.path("saga").asString().equals("COMPLETED"))
                .count();
        assertThat(shipped).isBetween(1L, 3L); // a declined one may have held some for a while
        assertThat(api.stock("lamp")).isEqualTo(3 - (int) shipped);
        assertThat(api.reserved("lamp")).isZero();
    }

    @Test
    void what_is_not_there_is_404() {
        assertThat(api.get("/orders/" + UUID.randomUUID()).status()).isEqualTo(404);
        assertThat(api.get("/stock/unicorn").status()).isEqualTo(404);
        assertThat(api.get("/participants/payments/nobody").status()).isEqualTo(404);
        assertThat(api.get("/participants/weather/mode").status()).isEqualTo(404);
    }

    @Test
    void an_id_that_is_none_is_400() {
        assertThat(api.get("/orders/seven").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reference", "customer", "sku", "quantity", "amount"})
    void bad_input_is_400_and_names_the_field(String field) {
        Map<String, Object> bad = OrderApi.order("book", 1, "ok");

        OrderApi.Answer answer =
                api.place(with(bad, field, List.of("quantity", "amount").contains(field) ? -1 : " "));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("fields").propertyNames()).containsExactly(field);
        assertStock(0, 0);
    }

    @Test
    void a_scrape_shows_every_meter() {
        api.place("ok");
        api.place("declined");
        api.awaitSaga(api.place("cannot-refund").orderId(), "FAILED");

        String scraped = api.get("/actuator/prometheus").text();

        assertThat(value(scraped, "saga_started_total")).isGreaterThanOrEqualTo(3);
        assertThat(value(scraped, "saga_completed_total")).isPositive();
        assertThat(value(scraped, "saga_compensated_total")).isPositive();
        assertThat(value(scraped, "saga_failed_total")).isPositive();
        assertThat(value(scraped, "saga_duration_seconds_count")).isPositive();
        assertThat(value(scraped, "saga_duration_seconds_sum")).isPositive();
        assertThat(value(scraped, "saga_duration_seconds_bucket")).isPositive();
        assertThat(value(scraped, "compensation_retries_count")).isPositive();
        assertThat(value(scraped, "compensation_retries_sum")).isGreaterThanOrEqualTo(3);
        assertThat(value(scraped, "compensation_retries_bucket")).isPositive();
    }

    private static double value(String scraped, String meter) {
        return scraped.lines()
                .filter(line -> line.startsWith(meter + "{") || line.startsWith(meter + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static List<String> undone(JsonNode order) {
        return order.path("compensations")
                .valueStream()
                .map(undo -> undo.path("step").asString() + " "
                        + undo.path("status").asString() + " "
                        + undo.path("retries").asInt())
                .toList();
    }

    private static Map<String, Object> with(Map<String, Object> body, String field, Object value) {
        Map<String, Object> changed = new HashMap<>(body);
        changed.put(field, value);
        return changed;
    }

    private void assertStock(int sold, int reserved) {
        assertThat(api.stock("book")).isEqualTo(stockBefore - sold);
        assertThat(api.reserved("book")).isEqualTo(reserved);
    }
}
