package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class StagesAreForOneUseTest {
    private static final SagaType<String> TYPE = SagaType.named("bad", String.class);

    // D15
    @Test
    void nothing_changes_after_build() {
        VoidStepStage<String, VoidCompensationStage<String>> step =
                Saga.define(TYPE).step("x");
        VoidCompensationStage<String> acted = step.action(c -> {});
        CompensationTuningStage<String> saga = acted.compensate(c -> {});
        SagaDefinition<String> built = saga.build();

        Stream<ThrowingCallable> changes = Stream.of(
                saga::build,
                saga::strictCompensation,
                () -> saga.version(2),
                () -> saga.deadline(Duration.ofSeconds(1)),
                () -> saga.step("y"),
                () -> saga.step(Step.named("y", String.class)),
                () -> saga.pivot("y"),
                () -> saga.retriable("y"),
                () -> saga.bestEffort("y"),
                () -> saga.retry(Retry.none()),
                () -> saga.timeout(Duration.ofSeconds(1)),
                () -> saga.rejectOn(IOException.class),
                () -> saga.compensationRetry(Retry.none()),
                () -> saga.compensationTimeout(Duration.ofSeconds(1)),
                step::transactional,
                () -> step.action(c -> {}),
                () -> acted.compensate(c -> {}),
                () -> acted.noCompensation("why"));
        assertThat(changes).allSatisfy(change -> assertRefused("SAGA-DSL-015", change, "saga bad v1", "immutable"));
        assertThat(built.steps()).hasSize(1);
    }

    // D15
    @Test
    void another_thread_may_not_use_it() {
        SagaStage<String> saga = Saga.define(TYPE).pivot("x").action(c -> {});

        assertThatThrownBy(() -> CompletableFuture.supplyAsync(saga::build).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageStartingWith("SAGA-DSL-015: saga bad v1 is defined on another thread");
        assertThat(saga.build().steps()).hasSize(1);
    }

    @Test
    void a_stage_that_is_kept_gives_no_second_action_or_compensation() {
        VoidStepStage<String, VoidCompensationStage<String>> step =
                Saga.define(TYPE).step("x");
        VoidCompensationStage<String> acted = step.action(c -> {});
        acted.compensate(c -> {});

        assertRefused("SAGA-DSL-030", () -> step.action(c -> {}), "step x of saga bad v1", "a second action");
        assertRefused("SAGA-DSL-030", step::transactional, "transactional() after its action");
        assertRefused("SAGA-DSL-030", () -> acted.compensate(c -> {}), "a second compensation");
        assertRefused("SAGA-DSL-030", () -> acted.noCompensation("why"), "a second compensation");
    }

    private static void assertRefused(String code, ThrowingCallable verb, String... shown) {
        assertThatThrownBy(verb)
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageStartingWith(code + ": ")
                .hasMessageContainingAll(shown);
    }
}
