package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StepView;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SagaMetricsTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final SagaMetrics metrics = new SagaMetrics(
            registry,
            List.of(Duration.ofMillis(10), Duration.ofDays(7)),
            () -> List.of(Trip.definition()),
            StoredSagasTest.unasked());

    @BeforeEach
    void definitionsAreKnown() {
        metrics.afterSingletonsInstantiated();
    }

    @Test
    void everything_is_there_before_the_first_saga() {
        assertThat(registry.scrape().lines())
                .contains(
                        "saga_started_total{reason=\"none\",saga=\"trip\",step=\"none\"} 0.0",
                        "saga_completed_total{reason=\"none\",saga=\"trip\",step=\"none\"} 0.0",
                        "saga_compensated_total{reason=\"none\",saga=\"trip\",step=\"none\"} 0.0",
                        "saga_failed_total{reason=\"none\",saga=\"trip\",step=\"none\"} 0.0",
                        "saga_lease_lost_total{reason=\"none\",saga=\"trip\",step=\"none\"} 0.0",
                        "saga_duration_seconds_count{reason=\"none\",saga=\"trip\",step=\"none\"} 0",
                        "compensation_retries_count{reason=\"none\",saga=\"trip\",step=\"book\"} 0");
    }

    @Test
    void a_completed_saga_is_counted_and_timed() {
        metrics.started(saga(SagaStatus.RUNNING, null));
        metrics.statusChanged(saga(SagaStatus.COMPLETED, null), SagaStatus.RUNNING, Duration.ofSeconds(90));

        assertThat(registry.scrape().lines())
                .contains(
                        "saga_started_total{reason=\"none\",saga=\"trip\",step=\"none\"} 1.0",
                        "saga_completed_total{reason=\"none\",saga=\"trip\",step=\"none\"} 1.0",
                        "saga_duration_seconds_bucket{reason=\"none\",saga=\"trip\",step=\"none\",le=\"0.01\"} 0",
                        "saga_duration_seconds_bucket{reason=\"none\",saga=\"trip\",step=\"none\",le=\"604800.0\"} 1",
                        "saga_duration_seconds_sum{reason=\"none\",saga=\"trip\",step=\"none\"} 90.0");
    }

    @Test // F2
    void a_saga_that_the_node_has_lost_is_counted() {
        metrics.leaseLost(saga(SagaStatus.RUNNING, null));
        metrics.leaseLost(saga(SagaStatus.COMPENSATING, SagaReason.REJECTED));

        assertThat(registry.scrape().lines())
                .contains("saga_lease_lost_total{reason=\"none\",saga=\"trip\",step=\"none\"} 2.0");
    }

    @Test
    void a_turn_is_not_an_end() {
        metrics.statusChanged(saga(SagaStatus.COMPENSATING, SagaReason.REJECTED), SagaStatus.RUNNING, Duration.ZERO);

        assertThat(registry.find("saga.duration").timers())
                .allSatisfy(timer -> assertThat(timer.count()).isZero());
    }

    @ParameterizedTest
    @CsvSource({
        "COMPENSATED, REJECTED, pay",
        "COMPENSATED, ATTEMPTS_EXHAUSTED, pay",
        "COMPENSATED, DEADLINE_EXCEEDED, none",
        "COMPENSATED, CANCELLED, none",
        "COMPENSATED, OPERATOR, none",
        "FAILED, COMPENSATION_EXHAUSTED, book",
        "FAILED, PIVOT_UNKNOWN, pay",
        "FAILED, RETRIABLE_EXHAUSTED, pay",
        "FAILED, RETRIABLE_REJECTED, pay",
        "FAILED, TAKEOVER_LIMIT, pay",
        "FAILED, RESULT_TOO_LARGE, pay",
        "FAILED, RESULT_UNREADABLE, pay",
        "FAILED, UNREADABLE, none",
        "FAILED, STEP_UNKNOWN, none"
    })
    void the_step_that_is_to_blame_and_the_reason_are_tags(SagaStatus status, SagaReason reason, String step) {
        StepStatus pay = reason == SagaReason.REJECTED ? StepStatus.REJECTED : StepStatus.UNKNOWN;
        metrics.statusChanged(
                saga(
                        status,
                        reason,
                        new StepView("book", StepStatus.COMPENSATION_FAILED, 1),
                        new StepView("pay", pay, 1),
                        new StepView("fly", StepStatus.PENDING, 0)),
                SagaStatus.COMPENSATING,
                Duration.ofSeconds(1));

        String counter = status == SagaStatus.FAILED ? "saga_failed_total" : "saga_compensated_total";
        assertThat(registry.scrape().lines())
                .contains(counter + "{reason=\"" + reason + "\",saga=\"trip\",step=\"" + step + "\"} 1.0");
    }

    @Test
    void retries_of_a_compensation_fall_into_their_buckets() {
        SagaInstance saga = saga(SagaStatus.COMPENSATING, SagaReason.REJECTED);
        metrics.compensationEnded(saga, "book", true, 0);
        metrics.compensationEnded(saga, "book", true, 4);
        metrics.compensationEnded(saga, "book", false, 9);

        String done = "compensation_retries_bucket{reason=\"none\",saga=\"trip\",step=\"book\",le=";
        String spent = "compensation_retries_bucket{reason=\"COMPENSATION_EXHAUSTED\",saga=\"trip\",step=\"book\",le=";
        assertThat(registry.scrape().lines().filter(line -> line.startsWith(done)))
                .containsExactly(
                        done + "\"1.0E-9\"} 1",
                        done + "\"1.0\"} 1",
                        done + "\"2.0\"} 1",
                        done + "\"3.0\"} 1",
                        done + "\"5.0\"} 2",
                        done + "\"10.0\"} 2",
                        done + "\"20.0\"} 2",
                        done + "\"+Inf\"} 2");
        assertThat(registry.scrape().lines()).contains(spent + "\"5.0\"} 0", spent + "\"10.0\"} 1");
    }

    // F167
    @Test
    void the_number_of_meters_does_not_grow_with_the_number_of_sagas() {
        everythingHappens(10);
        int few = registry.getMeters().size();
        everythingHappens(1000);

        assertThat(registry.getMeters()).hasSize(few);
        assertThat(registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getTags))
                .allSatisfy(tags -> assertThat(tags).extracting(Tag::getKey).containsExactly("reason", "saga", "step"));
    }

    private void everythingHappens(int sagas) {
        for (int i = 0; i < sagas; i++) {
            metrics.started(saga(SagaStatus.RUNNING, null));
            for (SagaReason reason : SagaReason.values()) {
                SagaStatus status = reason.parks() ? SagaStatus.FAILED : SagaStatus.COMPENSATED;
                metrics.statusChanged(saga(status, reason), SagaStatus.RUNNING, Duration.ofSeconds(i));
            }
            metrics.compensationEnded(saga(SagaStatus.COMPENSATING, SagaReason.REJECTED), "book", i % 2 == 0, i);
        }
    }

    private static SagaInstance saga(SagaStatus status, @Nullable SagaReason reason, StepView... steps) {
        return new Told(UUID.randomUUID(), "key-" + UUID.randomUUID(), status, reason, List.of(steps));
    }

    private record Told(
            UUID sagaId,
            String businessKey,
            SagaStatus status,
            @Nullable SagaReason reason,
            List<StepView> steps) implements SagaInstance {
        @Override
        public String name() {
            return "trip";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public boolean ended() {
            return status.ended();
        }

        @Override
        public <R> Optional<R> result(Step<R> step) {
            return Optional.empty();
        }

        @Override
        public Instant createdAt() {
            return Instant.EPOCH;
        }

        @Override
        public Instant updatedAt() {
            return Instant.EPOCH;
        }
    }
}
