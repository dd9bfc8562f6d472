package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.server.ResponseStatusException;

/** A saga whose steps call a guarded participant by HTTP. */
class SagaCallIT {
    private static final SagaType<String> ORDER = SagaType.named("order", String.class);
    private static final Step<Integer> RESERVE = Step.named("reserve", Integer.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final RestClient HTTP = RestClient.create();

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        SpringApplication application = new SpringApplication(Orders.class, Stock.class);
        application.setRegisterShutdownHook(false);
        context = application.run(
                "--spring.datasource.url=jdbc:h2:mem:calls",
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--spring.autoconfigure.exclude="
                        + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                        + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
                        + "org.springframework.boot.security.autoconfigure.actuate.web.servlet"
                        + ".ManagementWebSecurityAutoConfiguration",
                "--server.port=0",
                "--saga.poll-interval=20ms");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static String address(String path) {
        return "http://127.0.0.1:"
                + ((WebServerApplicationContext) context).getWebServer().getPort() + path;
    }

    private static String body(String path, Consumer<HttpHeaders> headers) {
        return HTTP.post().uri(address(path)).headers(headers).exchange((request, response) -> {
            assertThat(response.getStatusCode().value()).isEqualTo(400);
            assertThat(response.getHeaders().getContentType()).hasToString("application/problem+json");
            return new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
        });
    }

    private static int status(String path, Map<String, String> headers) {
        return HTTP.post()
                .uri(address(path))
                .headers(all -> headers.forEach(all::set))
                .exchange((request, response) -> response.getStatusCode().value());
    }

    @Test
    void a_guarded_participant_is_told_what_it_needs_and_does_each_thing_once() {
        SagaClient sagas = context.getBean(SagaClient.class);
        Stock stock = context.getBean(Stock.class);

        UUID id = sagas.start(ORDER, "tea").sagaId();
        SagaInstance ended = sagas.await(id, Duration.ofSeconds(60));

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(stock.reserved).as("its answer was lost, and it came again").hasValue(1);
        assertThat(stock.released).as("the first reservation").containsExactly(1);
        assertThat(stock.requests)
                .as("an action and its compensation are two requests")
                .containsExactly(
                        id + ":reserve:action",
                        id + ":reserve:action",
                        id + ":reserve:compensation",
                        id + ":reserve:compensation");
        assertThat(stock.calls).hasSize(4).allSatisfy(call -> {
            assertThat(call.sagaId()).isEqualTo(id);
            assertThat(call.key()).isEqualTo(id + ":reserve");
            assertThat(call.epoch()).isPositive();
            assertThat(call.remaining()).isPositive().isLessThanOrEqualTo(TIMEOUT);
        });

        Map<String, String> late =
                Map.of("Saga-Id", id.toString(), "Saga-Key", id + ":reserve", "Saga-Epoch", "1", "Saga-Remaining", "0");
        assertThat(status("/reservations", late)).as("after its compensation").isEqualTo(409);
        assertThat(stock.reserved).hasValue(1);
    }

    @Test
    void a_request_that_is_no_steps_is_refused() {
        assertThat(status("/reservations", Map.of("Idempotency-Key", "k"))).isEqualTo(400);
        assertThat(status("/reservations", Map.of("Saga-Key", "k"))).isEqualTo(400);
        Map<String, String> shortId =
                Map.of("Saga-Key", "k", "Saga-Id", "1-1-1-1-1", "Saga-Epoch", "1", "Saga-Remaining", "1");
        assertThat(body("/reservations", headers -> shortId.forEach(headers::set)))
                .contains("\"code\":\"SAGA-REQ-001\"", "Saga-Id is no UUID");
        assertThat(body("/reservations", headers -> headers.addAll("Saga-Key", List.of("a", "b"))))
                .contains("\"code\":\"SAGA-REQ-001\"", "Saga-Key is there 2 times");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Orders {
        @Bean
        SagaDefinition<String> order() {
            return Saga.define(ORDER)
                    .step(RESERVE)
                    .action(c -> HTTP.mutate()
                            .requestInterceptor(SagaHeaders.of(c))
                            .build()
                            .post()
                            .uri(address("/reservations"))
                            .header("Idempotency-Key", "another")
                            .retrieve()
                            .body(Integer.class))
                    .compensate((c, reservation) -> HTTP.post()
                            .uri(address("/reservations/release"))
                            .headers(SagaHeaders.of(c))
                            .retrieve()
                            .toBodilessEntity())
                    .timeout(TIMEOUT)
                    .compensationTimeout(TIMEOUT)
                    .retry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(5))
                    .compensationRetry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(5))
                    .step("pay")
                    .action(c -> {
                        throw new StepRejectedException("no-money", "the card is empty");
                    })
                    .noCompensation("nothing was charged")
                    .build();
        }
    }

    /** Does what it is asked, and loses its first answers. */
    @RestController
    static class Stock {
        final AtomicInteger reserved = new AtomicInteger();
        final List<Integer> released = new CopyOnWriteArrayList<>();
        final List<SagaCall> calls = new CopyOnWriteArrayList<>();
        final List<String> requests = new CopyOnWriteArrayList<>();
        private final AtomicInteger losses = new AtomicInteger();
        private final ParticipantGuard<Integer> guard;

        Stock(ParticipantGuards guards) {
            this.guard = guards.guard(RESERVE);
        }

        @PostMapping("/reservations")
        Integer reserve(SagaCall call, @RequestHeader(name = "Idempotency-Key", defaultValue = "") String request)
                throws Exception {
            Integer reservation = guard.action(call.key(), reserved::incrementAndGet);
            seen(call, request);
            lose(0);
            return reservation;
        }

        @PostMapping("/reservations/release")
        void release(SagaCall call, @RequestHeader("Idempotency-Key") String request) throws Exception {
            guard.compensation(call.key(), recorded -> released.add(recorded.orElseThrow()));
            seen(call, request);
            lose(1);
        }

        private void seen(SagaCall call, String request) {
            calls.add(call);
            requests.add(request);
        }

        private void lose(int number) {
            if (losses.compareAndSet(number, number + 1)) {
                throw new ResponseStatusException(HttpStatus.BAD_GATEWAY);
            }
        }

        @ExceptionHandler
        ResponseEntity<String> refused(OperationRefusedException refused) {
            return ResponseEntity.status(HttpStatus.CONFLICT).body(refused.code());
        }
    }
}
