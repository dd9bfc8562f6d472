package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** What cannot be read now: it is in nobody's way, it is shown as it is, and it is there when it can be read again. */
class AdminUnreadableIT {
    private static final AtomicBoolean BROKEN = new AtomicBoolean();
    private static final AtomicInteger DONE = new AtomicInteger();
    private static final Set<UUID> CALLED = ConcurrentHashMap.newKeySet();
    private static final SagaType<Fragile> FRAGILE_INPUT = SagaType.named("fragile-input", Fragile.class);
    private static final SagaType<String> FRAGILE_RESULT = SagaType.named("fragile-result", String.class);
    private static final Step<Fragile> FIRST = Step.named("first", Fragile.class);
    private static final AdminSite SITE = AdminSite.open(
            List.of(Sagas.class, AdminSite.Users.class),
            "saga.admin.enabled=true",
            "management.endpoints.web.exposure.include=prometheus");

    /** Of a class with a mistake that the next deployment mends. */
    record Fragile(String text) {
        Fragile {
            if (BROKEN.get()) {
                throw new IllegalStateException("a mistake");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Sagas {
        @Bean
        SagaDefinition<Fragile> fragileInput() {
            return Saga.define(FRAGILE_INPUT)
                    .step("only")
                    .action(c -> secondTime(c.sagaId(), c.input()))
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofHours(1)).maxAttempts(3))
                    .build();
        }

        @Bean
        SagaDefinition<String> fragileResult() {
            return Saga.define(FRAGILE_RESULT)
                    .step(FIRST)
                    .action(c -> new Fragile("as it was"))
                    .noCompensation("a test")
                    .step("second")
                    .action(c -> secondTime(c.sagaId(), c.result(FIRST)))
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofHours(1)).maxAttempts(3))
                    .build();
        }

        private static void secondTime(UUID saga, Fragile read) {
            if (CALLED.add(saga)) {
                throw new IllegalStateException("away");
            }
            assertThat(read.text()).isEqualTo("as it was");
            DONE.incrementAndGet();
        }
    }

    @AfterEach
    void mend() {
        BROKEN.set(false);
    }

    @AfterAll
    static void close() {
        SITE.close();
    }

    @Test // F083
    void the_list_the_detail_and_the_scrape_work_with_a_row_that_cannot_be_read() {
        UUID saga = waiting(SITE.sagas().start(FRAGILE_INPUT, new Fragile("x")).sagaId());
        UUID other = waiting(
                SITE.sagas().start(FRAGILE_INPUT, new Fragile("as it was")).sagaId());
        SITE.sql().update("update saga_instance set input = 'garbage <' where saga_id = ?", saga);
        parked(saga);

        JsonNode listed = SITE.get("viewer", AdminSite.BASE + "?name=fragile-input&size=200")
                .json();
        assertThat(listed.path("sagas")
                        .valueStream()
                        .map(line -> line.path("sagaId").asString()))
                .contains(saga.toString(), other.toString());
        JsonNode detail = SITE.get("admin", AdminSite.BASE + "/" + saga).json();
        assertThat(detail.at("/instance/reason").asString()).isEqualTo("UNREADABLE");
        assertThat(detail.at("/instance/input").asString()).isEqualTo("garbage <");
        await().atMost(Duration.ofSeconds(20)) // listeners are told after the commit
                .untilAsserted(() -> assertThat(SITE.get("viewer", "/actuator/prometheus", "Accept: text/plain")
                                .body())
                        .containsPattern(
                                "saga_failed_total\\{reason=\"UNREADABLE\",saga=\"fragile-input\",.*\\} [1-9]\\.0"));
    }

    @Test // F084
    void a_saga_whose_input_can_be_read_again_goes_on_with_the_input_as_it_was_stored() {
        UUID saga = waiting(
                SITE.sagas().start(FRAGILE_INPUT, new Fragile("as it was")).sagaId());
        SITE.sql().update("update saga_instance set input = '{ \"text\" :\t\"as it was\"}' where saga_id = ?", saga);

        checkMended(saga, "select input from saga_instance where saga_id = ?");
    }

    @Test // F084
    void a_saga_whose_result_can_be_read_again_goes_on_with_the_result_as_it_was_stored() {
        UUID saga = waiting(SITE.sagas().start(FRAGILE_RESULT, "x").sagaId());
        SITE.sql()
                .update(
                        "update saga_step_history set result = '{ \"text\" :\t\"as it was\"}'"
                                + " where saga_id = ? and result is not null",
                        saga);

        checkMended(saga, "select result from saga_step_history where saga_id = ? and step = 'first'");
    }

    private static void checkMended(UUID saga, String query) {
        String steps = "select steps from saga_instance where saga_id = ?";
        String stepsBefore = text(steps, saga);
        int done = DONE.get();
        BROKEN.set(true);
        parked(saga);
        assertThat(text(query, saga)).isEqualTo("{ \"text\" :\t\"as it was\"}");
        assertThat(text(steps, saga)).isEqualTo(stepsBefore);

        BROKEN.set(false);
        assertThat(SITE.act("operator", saga, "retry").status()).isEqualTo(200);
        SITE.rest(saga, SagaStatus.COMPLETED);

        assertThat(DONE).hasValue(done + 1);
        assertThat(text(query, saga)).isEqualTo("{ \"text\" :\t\"as it was\"}");
    }

    private static String text(String query, UUID saga) {
        return SITE.sql().queryForObject(query, String.class, saga);
    }

    /** Until its first attempt has failed. */
    private static UUID waiting(UUID saga) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> SITE.row(saga).get("owner") == null);
        return saga;
    }

    private static void due(UUID saga) {
        SITE.sql().update("update saga_instance set due_at = clock_timestamp() where saga_id = ?", saga);
        SITE.claim(saga);
    }

    private static void parked(UUID saga) {
        due(saga);
        SITE.rest(saga, SagaStatus.FAILED);
        assertThat(SITE.row(saga)).containsEntry("reason", "UNREADABLE");
    }
}
