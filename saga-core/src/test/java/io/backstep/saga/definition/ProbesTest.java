package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a definition says of doubts. */
class ProbesTest {
    private static final SagaType<String> TYPE = SagaType.named("doubts", String.class);
    private static final Step<String> PAY = Step.named("pay", String.class);

    private static SagaStage<String> saga() {
        return Saga.define(TYPE);
    }

    private static Probe<Object> asked(SagaDefinition<String> saga, String input) throws Exception {
        Action<Object, Probe<Object>> probe = saga.steps().get(0).probe();
        assertThat(probe).isNotNull();
        @SuppressWarnings({"unchecked", "rawtypes"})
        StepContext<Object> context = (StepContext) GivenContext.of("pay", input);
        return probe.run(context);
    }

    @Test
    void nothing_is_said_unless_it_is() {
        StepDefinition step = saga().step(PAY)
                .action(c -> "")
                .noCompensation("a test")
                .build()
                .steps()
                .get(0);

        assertThat(step.probe()).isNull();
        assertThat(step.atMostOnce()).isFalse();
        assertThat(step.rejectionIsDefinite()).isFalse();
    }

    @Test
    void what_a_probe_finds_took_effect_and_nothing_is_not_known() throws Exception {
        SagaDefinition<String> saga = saga().step(PAY)
                .action(c -> "")
                .probe(c -> c.input().isEmpty() ? Optional.empty() : Optional.of(c.input()))
                .noCompensation("a test")
                .build();

        assertThat(asked(saga, "paid").answer()).isEqualTo(Probe.Answer.TOOK_EFFECT);
        assertThat(asked(saga, "paid").result()).isEqualTo("paid");
        assertThat(asked(saga, "").answer()).isEqualTo(Probe.Answer.UNKNOWN);
        assertThat(asked(saga, "").result()).isNull();
    }

    @Test
    void a_probe_of_the_outcome_says_all_three() throws Exception {
        SagaDefinition<String> saga = saga().pivot("pay")
                .action(c -> {})
                .probeOutcome(c -> switch (c.input()) {
                    case "did" -> Probe.tookEffect();
                    case "did not" -> Probe.didNot();
                    default -> Probe.unknown();
                })
                .build();

        assertThat(asked(saga, "did")).hasToString("TOOK_EFFECT");
        assertThat(asked(saga, "did not")).hasToString("DID_NOT");
        assertThat(asked(saga, "?")).hasToString("UNKNOWN");
    }

    @Test
    void the_description_shows_it_and_the_fingerprint_does_not() {
        SagaDefinition<String> plain =
                saga().step(PAY).action(c -> "").compensate((c, paid) -> {}).build();
        SagaDefinition<String> careful = saga().step(PAY)
                .action(c -> "")
                .probe(c -> Optional.empty())
                .compensate((c, paid) -> {})
                .atMostOnce()
                .rejectionIsDefinite()
                .build();

        assertThat(careful.describe().json())
                .contains("\"probed\": true", "\"rejectionIsDefinite\": true", "\"atMostOnce\": true");
        assertThat(plain.describe().json())
                .contains("\"probed\": false", "\"rejectionIsDefinite\": false", "\"atMostOnce\": false");
        assertThat(careful.fingerprint()).isEqualTo(plain.fingerprint());
    }

    private static CompensationTuningStage<String> undone(boolean local) {
        VoidStepStage<String, VoidCompensationStage<String>> step = saga().step("one");
        return (local ? step.transactional() : step).action(c -> {}).compensate(c -> {});
    }

    @Test
    void a_compensation_that_does_not_run_as_its_action_does_is_told_by_the_fingerprint() {
        SagaDefinition<String> local =
                undone(false).compensationTransactional(true).build();
        SagaDefinition<String> remote =
                undone(true).compensationTransactional(false).build();

        assertThat(local.steps().get(0).compensationTransactional()).isTrue();
        assertThat(local.fingerprint()).isEqualTo("one COMPENSATABLE undone transactionally\n");
        assertThat(remote.steps().get(0).compensationTransactional()).isFalse();
        assertThat(remote.fingerprint()).isEqualTo("one COMPENSATABLE transactional undone remotely\n");
    }

    @Test
    void the_fingerprint_of_a_compensation_that_runs_as_its_action_does_is_as_it_was() {
        for (boolean local : new boolean[] {false, true}) {
            String plain = undone(local).build().fingerprint();

            assertThat(plain).isEqualTo(local ? "one COMPENSATABLE transactional\n" : "one COMPENSATABLE\n");
            assertThat(undone(local).compensationTransactional(local).build().fingerprint())
                    .isEqualTo(plain);
        }
    }

    @Test
    void a_transactional_step_is_never_in_doubt() {
        SagaStage<String> stage = saga().step("local")
                .transactional()
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .noCompensation("a test")
                .atMostOnce()
                .rejectionIsDefinite();

        assertThatThrownBy(stage::build)
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DSL-034: step local of saga doubts v1 is transactional and says"
                        + " a probe, rejectionIsDefinite(), atMostOnce()");
    }

    @Test
    void a_step_has_one_probe_and_it_is_not_null() {
        CompensationStage<String, String> stage =
                saga().step(PAY).action(c -> "").probe(c -> Optional.empty());

        assertThatThrownBy(() -> stage.probeOutcome(c -> Probe.unknown()))
                .hasMessageContaining("SAGA-DSL-030")
                .hasMessageContaining("a second probe");
        assertThatThrownBy(() -> saga().pivot(PAY).action(c -> "").probe(null)).hasMessageContaining("SAGA-DSL-020");
        assertThatThrownBy(() -> saga().pivot(PAY).action(c -> "").probeOutcome(null))
                .hasMessageContaining("SAGA-DSL-020");
        assertThatThrownBy(() -> saga().step("x").action(c -> {}).probeOutcome(null))
                .hasMessageContaining("SAGA-DSL-020");
    }
}
