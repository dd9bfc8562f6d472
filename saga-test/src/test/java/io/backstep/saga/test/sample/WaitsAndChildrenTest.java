package io.backstep.saga.test.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The kit on sagas that wait for signals, and that start others. */
class WaitsAndChildrenTest {
    private static final SagaType<String> ORDER = SagaType.named("order", String.class);
    private static final SagaType<String> PARCEL = SagaType.named("parcel", String.class);
    private static final Step<String> SETTLED = Step.named("settled", String.class);
    private static final Step<String> SHIP = Step.named("ship", String.class);
    private static final Step<String> TRACKING = Step.named("tracking", String.class);

    private final Effects effects = new Effects();

    /** What it does and undoes, each once for a key. */
    private class Participant {
        private final Set<String> done = new HashSet<>();
        private final Set<String> undone = new HashSet<>();

        String apply(String key) {
            if (!undone.contains(key) && done.add(key)) {
                effects.applied(key);
            }
            return "T-1";
        }

        void undo(String key) {
            if (undone.add(key) && done.contains(key)) {
                effects.undone(key);
            }
        }
    }

    private static SagaDefinition<String> waiting(Participant shop) {
        return Saga.define(ORDER)
                .step("request")
                .action(c -> shop.apply(c.idempotencyKey()))
                .compensate(c -> shop.undo(c.idempotencyKey()))
                .awaitSignal(SETTLED, Duration.ofHours(2))
                .delay("cooling-off", Duration.ofMinutes(30))
                .step("invoice")
                .action(c -> shop.apply(c.idempotencyKey()))
                .compensate(c -> shop.undo(c.idempotencyKey()))
                .build();
    }

    private static SagaDefinition<String> parent(Participant shop) {
        return Saga.define(ORDER)
                .step("reserve")
                .action(c -> shop.apply(c.idempotencyKey()))
                .compensate(c -> shop.undo(c.idempotencyKey()))
                .step(SHIP)
                .startSaga(PARCEL, c -> c.input(), TRACKING)
                .step("invoice")
                .action(c -> shop.apply(c.idempotencyKey()))
                .compensate(c -> shop.undo(c.idempotencyKey()))
                .build();
    }

    private static SagaDefinition<String> child(Participant warehouse) {
        return Saga.define(PARCEL)
                .step("pack")
                .action(c -> warehouse.apply(c.idempotencyKey()))
                .compensate(c -> warehouse.undo(c.idempotencyKey()))
                .step(TRACKING)
                .action(c -> warehouse.apply(c.idempotencyKey()))
                .compensate((c, tracking) -> warehouse.undo(c.idempotencyKey()))
                .build();
    }

    @Test
    void the_explorer_sends_the_signal_that_a_saga_waits_for() {
        Exploration exploration = CrashExplorer.of(waiting(new Participant()))
                .input("in")
                .effects(effects)
                .at(Duration.ofMinutes(5), (sagas, id) -> sagas.signal(id, SETTLED, "paid", "bank-1"))
                .explore()
                .assertSound();

        assertThat(exploration.runs()).isGreaterThan(50);
    }

    @Test
    void the_explorer_plays_a_saga_that_does_both() {
        Participant shop = new Participant();
        SagaDefinition<String> parcel = child(new Participant());
        SagaDefinition<String> definition = Saga.define(ORDER)
                .step("reserve")
                .action(c -> shop.apply(c.idempotencyKey()))
                .compensate(c -> shop.undo(c.idempotencyKey()))
                .awaitSignal(SETTLED, Duration.ofHours(2))
                .step(SHIP)
                .startSaga(PARCEL, c -> c.input(), TRACKING)
                .build();
        CrashExplorer.of(definition)
                .with(parcel)
                .input("in")
                .at(Duration.ofMinutes(5), (sagas, id) -> sagas.signal(id, SETTLED, "paid", "bank-1"))
                .effects(effects)
                .explore()
                .assertSound();
    }

    @Test
    void the_explorer_knows_children_and_interrupts_at_their_writes_too() {
        Exploration exploration = CrashExplorer.of(parent(new Participant()))
                .with(child(new Participant()))
                .input("in")
                .effects(effects)
                .explore()
                .assertSound();

        assertThat(exploration.runs()).isGreaterThan(100);
    }

    @Test
    void a_compensation_of_a_child_that_does_it_again_is_found() {
        Participant careless = new Participant() {
            @Override
            void undo(String key) {
                effects.undone(key);
            }
        };
        Exploration exploration = CrashExplorer.of(parent(new Participant()))
                .with(child(careless))
                .input("in")
                .effects(effects)
                .explore();

        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(
                        found -> assertThat(found)
                                .contains(
                                        "of its child parcel v1, which is COMPENSATED, took effect once and was undone 2 times"));
    }

    @Test
    void a_scenario_does_not_pretend_that_a_wait_is_called() {
        SagaScenario<String> scenario = SagaScenario.of(waiting(new Participant()));

        assertThatThrownBy(() -> scenario.when(SETTLED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("step settled of order v1 waits and calls nothing", "at(time");
        assertThatThrownBy(() -> scenario.when("cooling-off")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_scenario_does_not_answer_for_a_child() {
        SagaDefinition<String> definition = Saga.define(ORDER)
                .step(SHIP)
                .startSaga(PARCEL, c -> c.input(), TRACKING)
                .build();

        assertThatThrownBy(() -> SagaScenario.of(definition).when(SHIP).answers("T-2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("step ship starts a saga", "with(child)");
    }
}
