package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SagaDescriptionTest {
    private static final Step<List<String>> SEATS = Step.named("seats", new TypeRef<List<String>>() {});

    private final SagaDefinition<String> saga = Saga.define(SagaType.named("trip", String.class))
            .version(3)
            .deadline(Duration.ofMinutes(10))
            .step(SEATS)
            .transactional()
            .action(c -> List.of())
            .compensate((c, seats) -> {})
            .compensationRetry(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(7))
            .step("look")
            .action(c -> {})
            .noCompensation("it only \"looks\"\n\u00e4 \\ \uD83D\uDE00")
            .retry(Retry.exponential(Duration.ofMillis(100))
                    .rejectOn(IllegalStateException.class)
                    .retryOn(TimeoutException.class))
            .pivot("pay")
            .action(c -> {})
            .timeout(Duration.ofSeconds(5))
            .retriable("mail")
            .action(c -> {})
            .build();

    @Test
    void tells_what_the_definition_says() {
        SagaDescription told = saga.describe();
        assertThat(told.name()).isEqualTo("trip");
        assertThat(told.version()).isEqualTo(3);
        assertThat(told.inputType()).isEqualTo("java.lang.String");
        assertThat(told.deadline()).isEqualTo(Duration.ofMinutes(10));
        assertThat(told.strictCompensation()).isFalse();
        assertThat(told.steps())
                .extracting(StepDescription::name, StepDescription::kind, StepDescription::waitsFor)
                .containsExactly(
                        tuple("seats", StepKind.COMPENSATABLE, List.of()),
                        tuple("look", StepKind.COMPENSATABLE, List.of("seats")),
                        tuple("pay", StepKind.PIVOT, List.of("look")),
                        tuple("mail", StepKind.RETRIABLE, List.of("pay")));
    }

    @Test
    void tells_how_a_step_is_tried_and_undone() {
        StepDescription seats = saga.describe().steps().get(0);
        assertThat(seats.transactional()).isTrue();
        assertThat(seats.resultType()).isEqualTo("java.util.List<java.lang.String>");
        assertThat(seats.noCompensation()).isNull();
        assertThat(seats.compensation())
                .isEqualTo(new StepDescription.CompensationDescription(
                        true,
                        new StepDescription.RetryDescription(
                                7, Duration.ofSeconds(2), false, Duration.ofDays(366), 0, List.of(), List.of()),
                        StepDefinition.DEFAULT_TIMEOUT,
                        null));
        StepDescription look = saga.describe().steps().get(1);
        assertThat(look.compensation()).isNull();
        assertThat(look.retry())
                .isEqualTo(new StepDescription.RetryDescription(
                        3,
                        Duration.ofMillis(100),
                        true,
                        Duration.ofMinutes(5),
                        0.2,
                        List.of("java.lang.IllegalStateException"),
                        List.of("java.util.concurrent.TimeoutException")));
        assertThat(saga.describe().steps().get(3).retry().attempts())
                .as("for ever")
                .isNull();
    }

    @Test
    void json_says_the_same() {
        JsonNode json = JsonMapper.builder().build().readTree(saga.describe().json());
        assertThat(json.propertyNames())
                .containsExactly("name", "version", "inputType", "deadline", "strictCompensation", "steps");
        assertThat(json.get("version").intValue()).isEqualTo(3);
        assertThat(json.get("deadline").stringValue()).isEqualTo("PT10M");
        JsonNode look = json.get("steps").get(1);
        assertThat(look.get("noCompensation").stringValue()).isEqualTo("it only \"looks\"\n\u00e4 \\ \uD83D\uDE00");
        assertThat(look.get("compensation").isNull()).isTrue();
        assertThat(look.get("waitsFor").get(0).stringValue()).isEqualTo("seats");
        assertThat(look.get("retry").get("jitter").doubleValue()).isEqualTo(0.2);
        assertThat(json.get("steps")
                        .get(0)
                        .get("compensation")
                        .get("retry")
                        .get("attempts")
                        .intValue())
                .isEqualTo(7);
        assertThat(json.get("steps").get(3).get("retry").get("attempts").isNull())
                .isTrue();
    }

    @Test
    void another_code_makes_the_same_saga() {
        SagaDefinition<String> copy = saga.withSteps(
                step -> step.calling(c -> "other", step.probe(), step.compensation() == null ? null : (c, r) -> {}));
        assertThat(copy.fingerprint()).isEqualTo(saga.fingerprint());
        assertThat(copy.describe()).isEqualTo(saga.describe());
        assertThat(copy.steps().get(0).action()).isNotSameAs(saga.steps().get(0).action());
    }

    @Test
    void other_steps_are_refused() {
        assertThatThrownBy(() -> saga.withSteps(step -> saga.steps().get(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("trip v3");
        assertThatThrownBy(() -> saga.withSteps(step -> step.calling(step.action(), step.probe(), null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("step seats of trip v3 has a compensation in one form and none in the other");
    }
}
