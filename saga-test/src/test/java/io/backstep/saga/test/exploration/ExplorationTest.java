package io.backstep.saga.test.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything that may happen to small sagas, against what is promised of them. A finding shows the saga, and a short way to it.
 * {@code -Dexploration.more=1} lets one more thing go wrong on every way.
 */
class ExplorationTest {
    private static final Explored EXPLORED = Explored.once();

    @AfterAll
    static void show() {
        System.out.println("explored " + EXPLORED);
    }

    /** Groups of rules: each rule begins with the name of its group. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "final",
                "turning",
                "unknown",
                "order",
                "end",
                "parking",
                "retry",
                "best-effort",
                "policy",
                "calls",
                "progress",
                "history",
                "state",
                "machine",
                "write",
                "wait",
                "child"
            })
    void the_promises_hold_about(String group) {
        assertThat(EXPLORED.findings.rules(group))
                .as(EXPLORED.findings.toString())
                .isEmpty();
    }

    @Test
    void no_promise_at_all_is_broken() {
        assertThat(EXPLORED.findings.rules()).as(EXPLORED.findings.toString()).isEmpty();
    }

    @Test
    void many_states_are_explored() {
        assertThat(EXPLORED.worlds()).isGreaterThan(800_000);
    }

    @Test
    void every_kind_of_transition_of_a_step_is_visited_and_no_other() {
        Set<String> notRare = new TreeSet<>(EXPLORED.coverage.steps());
        notRare.removeAll(AllowedTransitions.rareOfSteps());

        assertThat(notRare).containsExactlyInAnyOrderElementsOf(AllowedTransitions.ofSteps());
    }

    @Test
    void every_kind_of_transition_of_a_saga_is_visited_and_no_other() {
        assertThat(EXPLORED.coverage.sagas()).containsExactlyInAnyOrderElementsOf(AllowedTransitions.ofSagas());
    }
}
