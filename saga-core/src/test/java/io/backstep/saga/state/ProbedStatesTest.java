package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.state.ProbedRules.Rule;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that may happen to small sagas with probes, whatever the probes answer, against what is promised of doubts. */
class ProbedStatesTest {
    private static final ProbedRules RULES = new ProbedRules();

    @BeforeAll
    static void explore() {
        Stream.of(Sagas.probed(), Sagas.once(), Sagas.probedBranch())
                .forEach(saga -> Reachable.visit(saga, RULES::look));
    }

    @AfterAll
    static void show() {
        System.out.println(
                "explored probes: " + RULES.states.size() + " states, " + RULES.transitions + " transitions");
    }

    @ParameterizedTest
    @EnumSource(Rule.class)
    void the_promises_hold(Rule rule) {
        assertThat(RULES.broken.get(rule)).isNull();
    }

    @Test
    void probes_answer_everything_in_both_directions() {
        assertThat(RULES.ways)
                .contains(
                        "Succeeded while RUNNING",
                        "Succeeded while COMPENSATING",
                        "DidNot while RUNNING",
                        "DidNot while COMPENSATING",
                        "Failed while RUNNING",
                        "Failed while COMPENSATING");
    }

    @Test
    void many_states_are_explored() {
        assertThat(RULES.states.size()).isGreaterThan(1_000);
    }
}
