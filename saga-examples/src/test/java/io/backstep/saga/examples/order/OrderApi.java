package io.backstep.saga.examples.order;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The order service, as seen from outside. */
final class OrderApi {
    private static final JsonMapper JSON = new JsonMapper();

    private final RestClient http;

    OrderApi(int port) {
        http = client(port).build();
    }

    static RestClient.Builder client(int port) {
        return RestClient.builder()
                .baseUrl("http://localhost:" + port)
                .defaultStatusHandler(status -> true, (request, response) -> {});
    }

    record Answer(int status, HttpHeaders headers, String text) {
        JsonNode json() {
            return JSON.readTree(text);
        }

        String orderId() {
            String id = json().path("orderId").asString("");
            if (id.isEmpty()) {
                throw new AssertionError(this);
            }
            return id;
        }
    }

    static Map<String, Object> order(String sku, int quantity, String card) {
        return Map.of(
                "reference",
                UUID.randomUUID().toString(),
                "customer",
                "ann@example.org",
                "sku",
                sku,
                "quantity",
                quantity,
                "amount",
                12.5,
                "card",
                card);
    }

    Answer place(String card) {
        return place(order("book", 2, card));
    }

    Answer place(Map<String, Object> body) {
        return answer(http.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body(body));
    }

    Answer get(String path) {
        return answer(http.get().uri(path));
    }

    void fault(String line, String fault) {
        answer(http.put()
                .uri("/participants/" + line + "/mode")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("fault", fault)));
    }

    JsonNode order(String orderId) {
        Answer answer = get("/orders/" + orderId);
        if (answer.status() != 200) {
            throw new AssertionError(answer);
        }
        return answer.json();
    }

    JsonNode awaitSaga(String orderId, String status) {
        return await(orderId, order -> order.path("saga").asString().equals(status));
    }

    /** Until the saga needs nothing more: it has ended or is parked. */
    JsonNode awaitEnd(String orderId) {
        return await(
                orderId,
                order -> !List.of("RUNNING", "COMPENSATING")
                        .contains(order.path("saga").asString()));
    }

    JsonNode awaitStep(String orderId, int step, String status) {
        return await(
                orderId,
                order -> order.at("/steps/" + step + "/status").asString("").equals(status));
    }

    private JsonNode await(String orderId, Predicate<JsonNode> wanted) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> order(orderId), wanted);
    }

    String payment(String orderId) {
        return get("/participants/payments/" + orderId + ":process-payment")
                .json()
                .path("status")
                .asString();
    }

    int stock(String sku) {
        return get("/stock/" + sku).json().path("stock").asInt();
    }

    int reserved(String sku) {
        return get("/stock/" + sku).json().path("reserved").asInt();
    }

    /** The lines of the saga log that say so, as {@code step OUTCOME}. */
    static List<String> log(JsonNode order, String phase) {
        return order.path("log")
                .valueStream()
                .filter(line -> line.path("phase").asString().equals(phase))
                .map(line -> line.path("step").asString() + " "
                        + line.path("outcome").asString())
                .toList();
    }

    static Answer answer(RestClient.RequestHeadersSpec<?> request) {
        var entity = request.retrieve().toEntity(String.class);
        @Nullable String body = entity.getBody();
        return new Answer(entity.getStatusCode().value(), entity.getHeaders(), body == null ? "" : body);
    }
}
