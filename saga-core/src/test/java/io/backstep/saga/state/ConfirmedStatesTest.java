package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.state.ConfirmedRules.Rule;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that may happen to small sagas with TCC steps, against what is promised of the decision, of confirms and of cancels. */
class ConfirmedStatesTest {
    private static final ConfirmedRules RULES = new ConfirmedRules();

    @BeforeAll
    static void explore() {
        Stream.of(Sagas.tried(), Sagas.triedOrder(), Sagas.triedBeside(), Sagas.triedMaybe(), Sagas.triedPair())
                .forEach(saga -> Reachable.visit(saga, RULES::look));
    }

    @AfterAll
    static void show() {
        System.out.println("explored TCC: " + RULES.states.size() + " states, " + RULES.transitions + " transitions");
    }

    @ParameterizedTest
    @EnumSource(Rule.class)
    void the_promises_hold(Rule rule) {
        assertThat(RULES.broken.get(rule)).isNull();
    }

    @Test
    void attempts_to_confirm_end_in_every_way() {
        assertThat(RULES.ways)
                .containsExactlyInAnyOrder(
                        "Succeeded",
                        "Rejected",
                        "Failed",
                        "Failed (interrupted)",
                        "Withdrawn",
                        "Stuck",
                        "Stuck (result too large)");
    }

    @Test
    void many_states_are_explored() {
        assertThat(RULES.states.size()).isGreaterThan(10_000);
    }
}
