package io.backstep.saga.examples.order;

import io.backstep.saga.examples.order.OrderApi.Answer;
import java.util.List;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

/** The REST API for operators, as one of them sees it. */
final class OperatorApi {
    private static final String SAGAS = "/admin/sagas";

    private final RestClient http;

    private OperatorApi(RestClient http) {
        this.http = http;
    }

    OperatorApi(int port, String user, String password) {
        this(OrderApi.client(port)
                .defaultHeaders(headers -> headers.setBasicAuth(user, password))
                .build());
    }

    static OperatorApi withoutLogin(int port) {
        return new OperatorApi(OrderApi.client(port).build());
    }

    /** The same, from a page of somebody else. */
    OperatorApi from(String origin) {
        return new OperatorApi(http.mutate().defaultHeader("Origin", origin).build());
    }

    Answer get(String below) {
        return absolute(SAGAS + below);
    }

    Answer absolute(String path) {
        return OrderApi.answer(http.get().uri(path));
    }

    Answer act(String sagaId, String action, String reason) {
        return OrderApi.answer(http.post()
                .uri(SAGAS + "/" + sagaId + "/" + action)
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("reason", reason)));
    }

    List<String> parked() {
        return get("?status=FAILED")
                .json()
                .path("sagas")
                .valueStream()
                .map(saga -> saga.path("sagaId").asString())
                .toList();
    }

    /** The audit of a saga, as {@code actor action: before > after, reason}. */
    List<String> audit(String sagaId) {
        return get("/audit?sagaId=" + sagaId)
                .json()
                .path("audit")
                .valueStream()
                .map(OperatorApi::line)
                .toList();
    }

    private static String line(JsonNode row) {
        return "%s %s: %s > %s, %s"
                .formatted(
                        row.path("actor").asString(),
                        row.path("action").asString(),
                        row.path("before").asString(),
                        row.path("after").asString(),
                        row.path("reason").asString());
    }
}
