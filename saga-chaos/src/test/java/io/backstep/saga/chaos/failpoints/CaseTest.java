package io.backstep.saga.chaos.failpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CaseTest {
    private static final Map<Scenario, Map<String, Integer>> REACHED = Map.of(
            Scenario.COMPLETING, Map.of("submit.commit", 4, "claim.before", 9),
            Scenario.AMBIGUOUS, Map.of("submit.commit", 4, "recover.commit", 1));

    @Test
    void a_point_is_played_with_every_fault_at_its_first_and_last_passing() {
        List<Case> cases = Case.all(REACHED, false);

        assertThat(plans(cases, Scenario.COMPLETING, "submit.commit")).hasSize(8);
        assertThat(plans(cases, Scenario.COMPLETING, "claim.before"))
                .as("a node does it all the time")
                .hasSize(4);
        assertThat(plans(Case.all(REACHED, true), Scenario.COMPLETING, "submit.commit"))
                .hasSize(16);
        assertThat(plans(cases, Scenario.COMPLETING, "recover.commit"))
                .as("brought about")
                .hasSize(4)
                .allMatch(Case::needsRecovery);
        assertThat(cases).noneMatch(one -> one.scenario() == Scenario.AMBIGUOUS);
    }

    @Test
    void the_parts_are_all_cases_and_each_once() {
        List<Case> cases = Case.all(REACHED, false);

        assertThat(IntStream.range(0, Case.PARTS)
                        .mapToObj(part -> EnumerationOptions.of("--part", String.valueOf(part)))
                        .flatMap(options -> cases.stream().filter(options::wants)))
                .containsExactlyInAnyOrderElementsOf(cases);
    }

    @Test
    void a_part_is_chosen_by_name_and_unknown_names_are_refused() {
        assertThat(Case.all(REACHED, false).stream().filter(EnumerationOptions.of("--only", "claim")::wants))
                .hasSize(4);
        assertThat(EnumerationOptions.of("--fault", "halt,cut").faults()).containsExactly(Fault.HALT, Fault.CUT);
        assertThatThrownBy(() -> EnumerationOptions.of("--only", "clam")).hasMessageContaining("clam");
        assertThatThrownBy(() -> EnumerationOptions.of("--onyl", "claim")).hasMessageContaining("--onyl");
    }

    @Test
    void a_name_that_no_scenario_passes_makes_the_run_red() {
        List<Result> green = Case.all(REACHED, false).stream()
                .map(one -> new Result(one, true, List.of(), Map.of(), Duration.ZERO))
                .toList();

        assertThat(new Report(EnumerationOptions.of(), REACHED, List.of(), green).green())
                .isFalse();
        assertThat(new Report(EnumerationOptions.of("--scenario", "completing"), REACHED, List.of(), green).green())
                .isTrue();
    }

    @Test
    void what_was_never_met_is_told_and_red_in_a_full_run() {
        Map<Scenario, Map<String, Integer>> all = Map.of(Scenario.COMPLETING, everything());
        List<Result> missed = Case.all(all, false).stream()
                .map(one -> new Result(
                        one, !one.toString().contains("post.commit 1 PAUSE"), List.of(), Map.of(), Duration.ZERO))
                .toList();
        Report report = new Report(EnumerationOptions.of(), all, List.of(), missed);

        assertThat(report.green()).isFalse();
        assertThat(report.lines()).contains("not met: COMPLETING post.commit 1 PAUSE");
    }

    private static Map<String, Integer> everything() {
        return Points.ALL.stream().collect(Collectors.toMap(point -> point, point -> 1));
    }

    private static List<Case> plans(List<Case> cases, Scenario scenario, String point) {
        return cases.stream()
                .filter(one -> one.scenario() == scenario)
                .filter(one -> one.plan().orElseThrow().point().equals(point))
                .toList();
    }
}
