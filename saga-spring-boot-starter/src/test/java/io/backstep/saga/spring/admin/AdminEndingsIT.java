package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.TuningStage;
import io.backstep.saga.definition.VoidCompensationStage;
import io.backstep.saga.engine.SagaInstance;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;

/** How sagas end: the client, the REST API and the table say the same. */
class AdminEndingsIT {
    private static final Retry TWICE = Retry.fixed(Duration.ofMillis(1)).maxAttempts(2);

    private enum Forward {
        SUCCEEDS(null),
        IS_REJECTED(SagaReason.REJECTED),
        FAILS(SagaReason.ATTEMPTS_EXHAUSTED),
        TIMES_OUT(SagaReason.ATTEMPTS_EXHAUSTED),
        MISSES_THE_DEADLINE(SagaReason.DEADLINE_EXCEEDED),
        IS_CANCELLED(SagaReason.CANCELLED);

        private final @Nullable SagaReason turns;

        Forward(@Nullable SagaReason turns) {
            this.turns = turns;
        }

        private Duration timeout() {
            return Duration.ofMillis(this == TIMES_OUT ? 100 : 400);
        }

        private Retry retry() {
            return switch (this) {
                case MISSES_THE_DEADLINE -> Retry.fixed(Duration.ofMillis(50)).maxAttempts(100);
                case IS_CANCELLED -> Retry.fixed(Duration.ofHours(1)).maxAttempts(2);
                default -> TWICE;
            };
        }

        private void act() throws InterruptedException {
            switch (this) {
                case SUCCEEDS -> {}
                case IS_REJECTED -> throw new StepRejectedException("NO", "no");
                case TIMES_OUT -> new CountDownLatch(1).await();
                default -> throw new IllegalStateException("away");
            }
        }
    }

    private enum Undo {
        SUCCEEDS,
        SUCCEEDS_AT_LAST,
        FAILS,
        SUCCEEDS_PARTLY,
        IS_REJECTED,
        IS_NOT_NEEDED;

        private static final Set<Undo> FAILING = EnumSet.of(FAILS, SUCCEEDS_PARTLY, IS_REJECTED);

        private Undo ofTheFirst() {
            return this == SUCCEEDS_PARTLY ? SUCCEEDS : this;
        }

        private TuningStage<String> of(VoidCompensationStage<String> step) {
            return this == IS_NOT_NEEDED
                    ? step.noCompensation("it only reads")
                    : step.compensate(c -> run(c.attempt())).compensationRetry(TWICE);
        }

        private void run(int attempt) {
            if (this == IS_REJECTED) {
                throw new StepRejectedException("NO", "not undone");
            }
            if (FAILING.contains(this) || (this == SUCCEEDS_AT_LAST && attempt == 1)) {
                throw new IllegalStateException("away");
            }
        }
    }

    private record Ending(Forward forward, Undo undo) {
        static Stream<Ending> all() {
            return Stream.of(Forward.values())
                    .flatMap(forward -> Stream.of(Undo.values()).map(undo -> new Ending(forward, undo)));
        }

        SagaType<String> type() {
            return SagaType.named(forward + "." + undo, String.class);
        }

        SagaDefinition<String> definition() {
            TuningStage<String> first =
                    undo.ofTheFirst().of(Saga.define(type()).step("first").action(c -> {}));
            return undo.of(first.step("second").action(c -> {}))
                    .step("third")
                    .action(c -> forward.act())
                    .compensate(c -> {})
                    .timeout(forward.timeout())
                    .retry(forward.retry())
                    .deadline(forward == Forward.MISSES_THE_DEADLINE ? Duration.ofMillis(500) : Duration.ofMinutes(10))
                    .build();
        }

        String expected() {
            if (forward.turns == null) {
                return SagaStatus.COMPLETED + " null";
            }
            return Undo.FAILING.contains(undo)
                    ? SagaStatus.FAILED + " " + SagaReason.COMPENSATION_EXHAUSTED
                    : SagaStatus.COMPENSATED + " " + forward.turns;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endings.class)
    static class Sagas {}

    static final class Endings implements BeanRegistrar {
        @Override
        public void register(BeanRegistry registry, Environment environment) {
            Ending.all()
                    .forEach(ending -> registry.registerBean(
                            ending.type().name(),
                            SagaDefinition.class,
                            bean -> bean.supplier(context -> ending.definition())));
        }
    }

    @Test // F121
    void every_combination_has_one_status_wherever_it_is_asked_for() {
        try (AdminSite site = AdminSite.open(List.of(Sagas.class, AdminSite.Users.class), "saga.admin.enabled=true")) {
            check(site);
        }
    }

    private static void check(AdminSite site) {
        Map<Ending, UUID> ids = new LinkedHashMap<>();
        Ending.all()
                .forEach(ending ->
                        ids.put(ending, site.sagas().start(ending.type(), "x").sagaId()));
        ids.forEach((ending, id) -> {
            if (ending.forward == Forward.IS_CANCELLED) {
                await().until(() -> site.row(id).get("owner") == null);
                assertThat(site.act("operator", id, "cancel").status()).isEqualTo(200);
            }
        });

        ids.forEach((ending, id) -> {
            SagaInstance saga = site.sagas().await(id, Duration.ofSeconds(30));
            assertThat(List.of(
                            said(saga.status(), saga.reason()),
                            said(site.row(id).get("status"), site.row(id).get("reason")),
                            said(site.get("viewer", AdminSite.BASE + "/" + id)
                                    .json()
                                    .path("instance")),
                            listed(site, ending, saga.status())))
                    .as(ending.toString())
                    .containsOnly(ending.expected());
        });
    }

    private static String listed(AdminSite site, Ending ending, SagaStatus status) {
        String target = AdminSite.BASE + "?name=" + ending.type().name() + "&status=" + status;
        JsonNode sagas = site.get("viewer", target).json().path("sagas");
        assertThat(sagas.size()).isEqualTo(1);
        return said(sagas.get(0));
    }

    private static String said(JsonNode saga) {
        return said(
                saga.path("status").asString(),
                saga.path("reason").isString() ? saga.path("reason").asString() : null);
    }

    private static String said(@Nullable Object status, @Nullable Object reason) {
        return status + " " + reason;
    }
}
