package io.backstep.saga.test.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.SagaScenario;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Probes in scenarios, and under the crash explorer. */
class ProbesTest {
    private final Effects effects = new Effects();
    private final ProbedSaga.Shop shop = new ProbedSaga.Shop(effects);

    private SagaScenario<String> scenario() {
        return SagaScenario.of(ProbedSaga.definition(shop)).given("in");
    }

    @Test
    void the_users_probe_finds_what_a_lost_reply_has_done() {
        scenario()
                .when(ProbedSaga.PAY)
                .losesReply(1)
                .then()
                .completed()
                .hasAttempts("pay", 1)
                .hasProbes("pay", 1);
    }

    @Test
    void without_a_doubt_it_is_not_asked() {
        scenario().whenProbing(ProbedSaga.PAY).didNot().then().completed().hasProbes("pay", 0);
    }

    @Test
    void it_took_effect_with_a_result() {
        scenario()
                .when(ProbedSaga.PAY)
                .failsAlways()
                .whenProbing(ProbedSaga.PAY)
                .tookEffect("receipt")
                .then()
                .completed()
                .hasResult(ProbedSaga.PAY, "receipt")
                .hasInHistory("pay #1 FAILED", "probe pay #1 SUCCEEDED", "hand-over #1 SUCCEEDED");
    }

    @Test
    void it_did_not_and_is_called_again() {
        scenario()
                .when(ProbedSaga.PAY)
                .fails(2)
                .whenProbing("pay")
                .didNot(2)
                .then()
                .completed()
                .hasAttempts("pay", 3)
                .hasInHistory("pay #1 FAILED", "probe pay #1 DID_NOT", "pay #2 FAILED", "probe pay #1 DID_NOT");
    }

    @Test
    void it_never_did_and_there_is_nothing_to_undo() {
        scenario()
                .when(ProbedSaga.PAY)
                .failsAlways()
                .whenProbing(ProbedSaga.PAY)
                .didNot()
                .then()
                .compensated()
                .hasReason(SagaReason.ATTEMPTS_EXHAUSTED);
    }

    @Test
    void a_pivot_of_which_it_does_not_know_yet_is_asked_again() {
        scenario()
                .when("hand-over")
                .alwaysLosesReply()
                .whenProbing("hand-over")
                .doesNotKnow(4)
                .whenProbing("hand-over")
                .tookEffect()
                .then()
                .completed()
                .hasAttempts("hand-over", 3)
                .hasProbes("hand-over", 5);
    }

    @Test
    void a_pivot_of_which_it_never_knows_is_parked() {
        scenario()
                .when("hand-over")
                .alwaysLosesReply()
                .whenProbing("hand-over")
                .neverKnows()
                .then()
                .parked(SagaReason.PIVOT_UNKNOWN)
                .hasStep("hand-over", StepStatus.UNKNOWN);
    }

    @Test
    void questions_fail_hang_and_die_and_are_asked_again() {
        scenario()
                .when(ProbedSaga.PAY)
                .alwaysLosesReply()
                .whenProbing(ProbedSaga.PAY)
                .fails(1)
                .whenProbing(ProbedSaga.PAY)
                .hangs(1)
                .whenProbing(ProbedSaga.PAY)
                .crashesBefore()
                .then()
                .completed()
                .hasInHistory("probe pay #1 FAILED", "probe pay #1 TIMED_OUT", "probe pay #1 TAKEN_OVER")
                .hasProbes("pay", 4);
    }

    @Test
    void what_makes_no_sense_is_refused() {
        assertThatThrownBy(() -> scenario().whenProbing("sing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("probed v1 has no step sing with a probe");
        assertThatThrownBy(
                        () -> SagaScenario.of(OrderSaga.definition(new Calls())).whenProbing(OrderSaga.PAY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("place-order v1 has no step pay with a probe");
        assertThatThrownBy(() -> scenario().whenProbing(ProbedSaga.PAY).doesNotKnow(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("times is 0; allowed is at least 1");
    }

    private Exploration exploring(ProbedSaga.Shop participants) {
        return CrashExplorer.of(ProbedSaga.definition(participants))
                .input("in")
                .effects(effects)
                .explore();
    }

    private static void finds(Exploration exploration, String run, String problem) {
        assertThat(exploration.findings()).anySatisfy(finding -> {
            assertThat(finding.run()).startsWith(run);
            assertThat(finding.problems()).anySatisfy(found -> assertThat(found).contains(problem));
        });
    }

    @Test
    void a_sound_saga_stands_all_of_it() {
        Exploration exploration = exploring(shop).assertSound();

        assertThat(exploration.runs()).isGreaterThan(300);
    }

    @Test
    void a_probe_that_takes_not_found_for_did_not_is_found() {
        Exploration exploration = exploring(new ProbedSaga.Shop(effects) {
            @Override
            Probe<Void> close(String key, long epoch) {
                return done.contains(key) ? Probe.tookEffect() : Probe.didNot(); // what is on its way will be let in
            }
        });

        finds(
                exploration,
                "hand-over is not reached in time, and the node stops, and is overtaken, before the call of hand-over",
                "it is COMPENSATED, and 1 effects of step hand-over are left");
    }

    @Test
    void a_probe_that_finds_what_was_never_done_is_found() {
        Exploration exploration = exploring(new ProbedSaga.Shop(effects) {
            @Override
            Optional<String> find(String key) {
                return Optional.of(key);
            }
        });

        finds(exploration, "pay is not reached in time", "it is COMPLETED with 0 effects of step pay left");
    }

    @Test
    void a_probe_that_does_something_is_found() {
        Exploration exploration = exploring(new ProbedSaga.Shop(effects) {
            @Override
            Probe<Void> close(String key, long epoch) {
                effects.applied(key);
                return Probe.tookEffect();
            }
        });

        finds(exploration, "hand-over loses all replies", "effects of step hand-over under the key");
    }
}
