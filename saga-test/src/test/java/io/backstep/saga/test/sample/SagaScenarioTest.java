package io.backstep.saga.test.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.SagaAssertions;
import io.backstep.saga.test.SagaRun;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SagaScenarioTest {
    private final Calls calls = new Calls();
    private final SagaDefinition<PlaceOrder> definition = OrderSaga.definition(calls);

    @AfterEach
    void no_interrupt_is_left() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private SagaScenario<PlaceOrder> scenario() {
        return SagaScenario.of(definition).given(new PlaceOrder("book", 12));
    }

    @Test
    void without_faults_everything_is_called_once() {
        scenario()
                .then()
                .completed()
                .hasReason(null)
                .undid()
                .hasResult(OrderSaga.PAY, new Payment("p-1", 12))
                .hasHistory(
                        "create #1 SUCCEEDED",
                        "reserve #1 SUCCEEDED",
                        "pay #1 SUCCEEDED",
                        "confirm #1 SUCCEEDED",
                        "ship #1 SUCCEEDED",
                        "mail #1 SUCCEEDED",
                        "saga ENDED");
        assertThat(calls.all).containsExactly("create", "reserve book", "charge 12", "confirm", "ship", "mail");
    }

    @Test
    void a_rejected_step_is_not_called_and_turns_the_saga() {
        scenario()
                .when(OrderSaga.PAY)
                .rejects("DECLINED")
                .then()
                .compensated("reserve", "create")
                .hasReason(SagaReason.REJECTED)
                .hasAttempts("pay", 1)
                .hasStep("pay", StepStatus.REJECTED)
                .hasNoResult(OrderSaga.PAY);
        assertThat(calls.all).containsExactly("create", "reserve book", "release", "reject");
    }

    @Test
    void failures_are_retried_and_then_it_goes_on() {
        scenario().when("pay").fails(2).then().completed().hasAttempts("pay", 3);
        assertThat(calls.all).containsOnlyOnce("charge 12");
    }

    @Test
    void spent_attempts_turn_the_saga_and_the_step_is_undone_too() {
        scenario()
                .when(OrderSaga.PAY)
                .failsAlways()
                .then()
                .compensated("pay", "reserve", "create")
                .hasReason(SagaReason.ATTEMPTS_EXHAUSTED)
                .hasAttempts("pay", 3);
    }

    @Test
    void a_lost_reply_has_its_effect_and_is_repeated() {
        scenario().when(OrderSaga.PAY).losesReply(1).then().completed().hasAttempts("pay", 2);
        assertThat(calls.all).filteredOn("charge 12"::equals).hasSize(2);
    }

    @Test
    void replies_that_are_always_lost_turn_the_saga() {
        scenario().when(OrderSaga.PAY).alwaysLosesReply().then().compensated("pay", "reserve", "create");
    }

    @Test
    void a_call_that_hangs_is_interrupted_after_its_timeout() {
        SagaRun run = scenario().when(OrderSaga.PAY).hangs(1).run();
        SagaAssertions.assertThat(run).completed().hasInHistory("pay #1 TIMED_OUT", "pay #2 SUCCEEDED");
        assertThat(run.history().get(2).entry().duration()).isEqualTo(Duration.ofSeconds(5));
        assertThat(calls.all).containsOnlyOnce("charge 12");
    }

    @Test
    void a_node_that_dies_before_a_call_is_replaced() {
        scenario().when(OrderSaga.PAY).crashesBefore().then().completed().hasInHistory("pay #1 TAKEN_OVER");
        assertThat(calls.all).containsOnlyOnce("charge 12");
    }

    @Test
    void a_node_that_dies_after_a_call_is_replaced_and_the_call_repeated() {
        SagaRun run = scenario().when(OrderSaga.PAY).crashesAfter().run();
        SagaAssertions.assertThat(run).completed().hasAttempts("pay", 2);
        assertThat(run.history()).extracting(row -> row.entry().node()).contains("node-1", "node-2");
        assertThat(calls.all).filteredOn("charge 12"::equals).hasSize(2);
    }

    @Test
    void a_node_may_die_inside_a_transactional_step() {
        scenario().when("confirm").crashesAfter().then().completed().hasAttempts("confirm", 2);
    }

    @Test
    void faults_of_one_step_follow_each_other() {
        scenario()
                .when(OrderSaga.PAY)
                .fails(1)
                .when(OrderSaga.PAY)
                .hangs(1)
                .when(OrderSaga.PAY)
                .rejects()
                .then()
                .compensated("pay", "reserve", "create")
                .hasInHistory("pay #1 FAILED", "pay #2 TIMED_OUT", "pay #3 REJECTED");
    }

    @Test
    void compensations_may_fail_be_lost_and_be_rejected() {
        scenario()
                .when("confirm")
                .rejects()
                .whenUndoing(OrderSaga.PAY)
                .fails(2)
                .whenUndoing("reserve")
                .rejects()
                .then()
                .parked(SagaReason.COMPENSATION_EXHAUSTED)
                .undid("pay", "create")
                .hasCompensationAttempts("pay", 3)
                .hasCompensationAttempts("reserve", 1)
                .hasStep("reserve", StepStatus.COMPENSATION_FAILED);
    }

    @Test
    void an_hour_of_retries_takes_no_time() {
        scenario()
                .when("ship")
                .fails(20)
                .then()
                .completed()
                .hasAttempts("ship", 21)
                .satisfies(run -> assertThat(Duration.between(
                                run.saga().createdAt(), run.saga().updatedAt()))
                        .isGreaterThan(Duration.ofMinutes(40)));
    }

    @Test
    void what_never_ends_is_shown_as_it_is_when_its_time_is_over() {
        scenario()
                .when("ship")
                .failsAlways()
                .atMost(Duration.ofHours(1))
                .then()
                .hasStatus(SagaStatus.RUNNING)
                .hasStep("ship", StepStatus.WAITING);
    }

    @Test
    void the_parts_of_the_world_may_be_left_out() {
        scenario()
                .when(OrderSaga.PAY)
                .answers(new Payment("stub", 1))
                .when("reserve")
                .answers(null)
                .then()
                .completed()
                .hasResult(OrderSaga.PAY, new Payment("stub", 1));
        assertThat(calls.all).containsExactly("create", "confirm", "ship", "mail");
    }

    @Test
    void exceptions_meet_the_policies_of_the_definition() {
        SagaDefinition<String> picky = Saga.define(SagaType.named("picky", String.class))
                .step("one")
                .action(c -> {})
                .noCompensation("a test")
                .step("two")
                .action(c -> {})
                .noCompensation("a test")
                .retry(Retry.none().rejectOn(IllegalStateException.class))
                .build();
        SagaScenario.of(picky)
                .given("in")
                .when("two")
                .failsWith(new IllegalStateException("no"))
                .then()
                .compensated()
                .hasReason(SagaReason.REJECTED);
    }

    @Test
    void somebody_may_cancel_it_meanwhile() {
        scenario()
                .when("reserve")
                .fails(1)
                .at(Duration.ofMillis(100), (client, id) -> client.cancel(id, "changed my mind"))
                .then()
                .compensated("reserve", "create")
                .hasReason(SagaReason.CANCELLED);
    }

    @Test
    void each_run_is_the_same() {
        SagaScenario<PlaceOrder> scenario =
                scenario().when(OrderSaga.PAY).crashesAfter().when("ship").hangs(2);
        SagaRun one = scenario.run();
        SagaRun other = scenario.run();
        assertThat(one.lines()).isEqualTo(other.lines());
        assertThat(one.history())
                .extracting(row -> row.startedAt())
                .isEqualTo(other.history().stream().map(row -> row.startedAt()).toList());
    }

    @Test
    void user_code_may_reject_by_itself() {
        Calls poor = new Calls() {
            @Override
            public Payment charge(String key, int amount) {
                throw new StepRejectedException("DECLINED", "no money");
            }
        };
        SagaScenario.of(OrderSaga.definition(poor))
                .given(new PlaceOrder("book", 12))
                .then()
                .compensated("reserve", "create");
    }

    @Test
    void a_failed_assertion_prints_the_history() {
        assertThatThrownBy(() -> scenario()
                        .when(OrderSaga.PAY)
                        .rejects("DECLINED")
                        .then()
                        .completed())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the status: expected COMPLETED, but it is COMPENSATED")
                .hasMessageContaining("pay #1 REJECTED: DECLINED (io.backstep.saga.StepRejectedException: injected: ")
                .hasMessageContaining("undo reserve #1 SUCCEEDED");
    }

    @Test
    void assertions_fail_when_they_should() {
        SagaRun run = scenario().when(OrderSaga.PAY).rejects().run();
        assertFails(() -> SagaAssertions.assertThat(run).compensated("create", "reserve"), "undone, in this order");
        assertFails(() -> SagaAssertions.assertThat(run).compensated("reserve"), "undone, in this order");
        assertFails(() -> SagaAssertions.assertThat(run).undid(), "undone, in this order");
        assertFails(() -> SagaAssertions.assertThat(run).undid("resrve"), "there is no step resrve");
        assertFails(() -> SagaAssertions.assertThat(run).hasReason(null), "the reason");
        assertFails(() -> SagaAssertions.assertThat(run).parked(SagaReason.PIVOT_UNKNOWN), "the status");
        assertFails(() -> SagaAssertions.assertThat(run).hasAttempts("pay", 2), "attempts of step pay");
        assertFails(() -> SagaAssertions.assertThat(run).hasCompensationAttempts("create", 2), "attempts to undo");
        assertFails(() -> SagaAssertions.assertThat(run).hasStep("pay", StepStatus.SUCCEEDED), "status of step pay");
        assertFails(() -> SagaAssertions.assertThat(run).hasHistory("create #1 SUCCEEDED"), "the history");
        assertFails(
                () -> SagaAssertions.assertThat(run).hasInHistory("pay #1 REJECTED", "reserve #1 SUCCEEDED"),
                "but reserve #1 SUCCEEDED is not there");
        assertFails(
                () -> SagaAssertions.assertThat(run).hasResult(OrderSaga.PAY, new Payment("p-1", 12)),
                "the result of step pay");
        SagaRun paid = scenario().run();
        assertFails(() -> SagaAssertions.assertThat(paid).hasNoResult(OrderSaga.PAY), "the result of step pay");
    }

    private static void assertFails(Runnable assertion, String message) {
        assertThatThrownBy(assertion::run).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    @Test
    void what_makes_no_sense_is_refused() {
        assertThatThrownBy(() -> scenario().when("nothing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("place-order v1 has no step nothing");
        assertThatThrownBy(() -> scenario().whenUndoing("ship")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> scenario().when("pay").fails(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SagaScenario.of(definition).run())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no input");
    }
}
