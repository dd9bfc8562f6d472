package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.InMemorySagaStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;

/** F136: what a step, and its compensation, make of a participant's answer. */
class SagaAnswersTest {
    private final AtomicInteger calls = new AtomicInteger();
    private volatile int status;
    private HttpServer server;
    private RestClient http;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            calls.incrementAndGet();
            byte[] body = status == 204 || status == 304 ? new byte[0] : "said so".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            exchange.getResponseHeaders().set("Retry-After", "1");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        http = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .requestInterceptor(SagaAnswers.mapped())
                .build();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void call() {
        http.post().uri("/").retrieve().toBodilessEntity();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204})
    void done(int answered) {
        status = answered;

        call();

        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 402, 409, 412, 413, 415, 422, 451})
    void a_no(int answered) {
        status = answered;

        assertThatThrownBy(this::call)
                .isInstanceOfSatisfying(
                        StepRejectedException.class, no -> assertThat(no.code()).isEqualTo("HTTP-" + answered))
                .hasMessageContaining("said so");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                202, 301, 302, 303, 304, 307, 308, 401, 403, 404, 405, 407, 408, 410, 421, 423, 425, 428, 429, 500, 501,
                502, 503, 504
            })
    void nobody_knows(int answered) {
        status = answered;

        assertThatThrownBy(this::call)
                .isInstanceOfSatisfying(
                        RestClientResponseException.class,
                        unknown -> assertThat(unknown.getStatusCode().value()).isEqualTo(answered));
    }

    @ParameterizedTest
    @CsvSource({
        // answer, calls of the action, of its compensation, the saga
        "200, 1, 0, COMPLETED",
        "409, 1, 0, COMPENSATED",
        "404, 2, 1, COMPENSATED",
        "202, 2, 1, COMPENSATED",
        "302, 2, 1, COMPENSATED",
        "503, 2, 1, COMPENSATED"
    })
    void an_action(int answered, int times, int compensations, SagaStatus saga) {
        status = answered;
        AtomicInteger undone = new AtomicInteger();

        SagaInstance end = run(true, undone);

        assertThat(end.status()).isEqualTo(saga);
        assertThat(calls).hasValue(times);
        assertThat(undone).hasValue(compensations);
    }

    @ParameterizedTest
    @CsvSource({
        // answer, calls of the compensation, its step, the saga
        "200, 1, COMPENSATED, COMPENSATED",
        "409, 1, COMPENSATION_FAILED, FAILED",
        "404, 3, COMPENSATION_FAILED, FAILED",
        "410, 3, COMPENSATION_FAILED, FAILED",
        "202, 3, COMPENSATION_FAILED, FAILED",
        "307, 3, COMPENSATION_FAILED, FAILED",
        "425, 3, COMPENSATION_FAILED, FAILED",
        "429, 3, COMPENSATION_FAILED, FAILED",
        "503, 3, COMPENSATION_FAILED, FAILED"
    })
    void a_compensation(int answered, int times, StepStatus step, SagaStatus saga) {
        status = answered;

        SagaInstance end = run(false, new AtomicInteger());

        assertThat(end.steps().get(0).status()).isEqualTo(step);
        assertThat(end.status()).isEqualTo(saga);
        assertThat(calls).hasValue(times);
    }

    /** The call is the action of a step, or the compensation of one that a later no turns back to. */
    private SagaInstance run(boolean asAction, AtomicInteger undone) {
        InMemorySagaStore store = new InMemorySagaStore();
        Retry twice = Retry.fixed(Duration.ofMillis(1)).maxAttempts(2);
        Retry thrice = Retry.fixed(Duration.ofMillis(1)).maxAttempts(3);
        try (SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .build()) {
            var definition = Saga.define(SagaType.named("http", String.class))
                    .step("call")
                    .action(c -> {
                        if (asAction) {
                            call();
                        }
                    })
                    .compensate(c -> {
                        undone.incrementAndGet();
                        if (!asAction) {
                            call();
                        }
                    })
                    .retry(twice)
                    .compensationRetry(thrice)
                    .step("then")
                    .action(c -> {
                        if (!asAction) {
                            throw new StepRejectedException("NO", "no");
                        }
                    })
                    .noCompensation("a test")
                    .build();
            engine.register(definition);
            engine.start();
            return engine.client().await(engine.client().start(definition, "in").sagaId(), Duration.ofMinutes(1));
        }
    }
}
