package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Reachable.Seen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The transitions of the machine: as they are expected, and as they are documented. */
class TransitionsTest {
    static final String REFRESH =
            "mvn -pl saga-core -am test -Dtest=TransitionsTest -Dsurefire.failIfNoSpecifiedTests=false -Dsaga.docs.refresh=true";

    private static final Path PAGE =
            Path.of("").toAbsolutePath().getParent().resolve("docs").resolve("state-machine.md");

    /** Status of a step, event, every status that can follow. */
    private static final String EXPECTED = """
            PENDING             | Claimed                       | EXECUTING
            PENDING             | Claimed (taken over)          | EXECUTING
            PENDING             | Retried                       | EXECUTING, WAITING
            PENDING             | TimePassed                    | EXECUTING
            PENDING             | event of another step         | EXECUTING, WAITING
            EXECUTING           | Claimed                       | PENDING, EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | Claimed (taken over)          | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | Failed                        | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | Failed (interrupted)          | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | ForceCompleted                | UNKNOWN, GIVEN_UP
            EXECUTING           | Rejected                      | EXECUTING, WAITING, REJECTED, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | Retried                       | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | Stuck                         | PENDING, WAITING, UNKNOWN, GIVEN_UP
            EXECUTING           | Stuck (result too large)      | PENDING, WAITING, SUCCEEDED, GIVEN_UP, COMPENSATING
            EXECUTING           | Skipped                       | SKIPPED
            EXECUTING           | Succeeded                     | SUCCEEDED, COMPENSATING, CONFIRMING
            EXECUTING           | Succeeded (condition)         | PENDING, EXECUTING, WAITING
            EXECUTING           | Withdrawn                     | PENDING, WAITING, UNKNOWN, GIVEN_UP
            WAITING             | Admitted                      | EXECUTING, SUCCEEDED, GIVEN_UP, COMPENSATING
            WAITING             | Answered                      | SUCCEEDED
            WAITING             | Answered (rejected)           | REJECTED
            WAITING             | Claimed                       | EXECUTING, WAITING, SUCCEEDED, UNKNOWN, GIVEN_UP, COMPENSATING
            WAITING             | Claimed (taken over)          | EXECUTING, SUCCEEDED, GIVEN_UP
            WAITING             | ForceCompleted                | UNKNOWN, GIVEN_UP
            WAITING             | Retried                       | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            WAITING             | TimePassed                    | EXECUTING, WAITING, SUCCEEDED, UNKNOWN, GIVEN_UP, COMPENSATING
            WAITING             | TurnRequested                 | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            WAITING             | event of another step         | EXECUTING, WAITING, SUCCEEDED, UNKNOWN, GIVEN_UP, COMPENSATING
            WAITING             | ChildEnded                    | SUCCEEDED, COMPENSATING
            WAITING             | ChildEnded (undone)           | REJECTED
            WAITING             | TurnRequested (by the parent) | EXECUTING, WAITING, UNKNOWN, GIVEN_UP, COMPENSATING
            EXECUTING           | DidNot                        | EXECUTING, WAITING, REJECTED, GIVEN_UP
            EXECUTING           | Failed (probe)                | EXECUTING, WAITING, REJECTED, UNKNOWN, COMPENSATING
            EXECUTING           | Succeeded (probe)             | SUCCEEDED, COMPENSATING
            EXECUTING           | Started                       | PENDING, WAITING, GIVEN_UP
            EXECUTING           | Resolved (REJECTED)           | REJECTED, GIVEN_UP
            EXECUTING           | Resolved (SUCCEEDED)          | SUCCEEDED
            EXECUTING           | event of another step         | EXECUTING, WAITING, GIVEN_UP, COMPENSATING
            WAITING             | Resolved (COMPENSATED)        | COMPENSATED
            WAITING             | Resolved (REJECTED)           | REJECTED, GIVEN_UP
            WAITING             | Resolved (SUCCEEDED)          | SUCCEEDED
            SUCCEEDED           | Resolved (COMPENSATED)        | COMPENSATED
            REJECTED            | Resolved (SUCCEEDED)          | SUCCEEDED
            UNKNOWN             | Resolved (COMPENSATED)        | COMPENSATED
            UNKNOWN             | Resolved (REJECTED)           | REJECTED, GIVEN_UP
            UNKNOWN             | Resolved (SUCCEEDED)          | SUCCEEDED, CONFIRMING
            GIVEN_UP            | Resolved (REJECTED)           | REJECTED
            GIVEN_UP            | Resolved (SUCCEEDED)          | SUCCEEDED, CONFIRMING
            COMPENSATING        | Resolved (COMPENSATED)        | COMPENSATED
            COMPENSATING        | event of another step         | COMPENSATING
            COMPENSATION_FAILED | Resolved (COMPENSATED)        | COMPENSATED
            CONFIRMING          | Resolved (SUCCEEDED)          | CONFIRMED
            SUCCEEDED           | Claimed                       | SUCCEEDED, COMPENSATING
            SUCCEEDED           | Claimed (taken over)          | SUCCEEDED, COMPENSATING
            SUCCEEDED           | Retried                       | SUCCEEDED, COMPENSATING, CONFIRMING
            SUCCEEDED           | TimePassed                    | SUCCEEDED, COMPENSATING
            SUCCEEDED           | TurnRequested                 | SUCCEEDED, COMPENSATING
            SUCCEEDED           | event of another step         | SUCCEEDED, COMPENSATING, CONFIRMING
            SUCCEEDED           | TurnRequested (by the parent) | SUCCEEDED, COMPENSATING
            REJECTED            | Retried                       | EXECUTING, WAITING, GIVEN_UP
            UNKNOWN             | Claimed                       | UNKNOWN, COMPENSATING
            UNKNOWN             | Claimed (taken over)          | UNKNOWN, COMPENSATING
            UNKNOWN             | Retried                       | EXECUTING, UNKNOWN, GIVEN_UP, COMPENSATING
            UNKNOWN             | TimePassed                    | UNKNOWN, COMPENSATING
            UNKNOWN             | event of another step         | UNKNOWN, COMPENSATING
            GIVEN_UP            | Retried                       | EXECUTING, WAITING
            COMPENSATING        | Admitted                      | COMPENSATING, COMPENSATION_FAILED
            COMPENSATING        | Answered                      | COMPENSATED
            COMPENSATING        | Answered (rejected)           | COMPENSATION_FAILED
            COMPENSATING        | Claimed                       | COMPENSATING, COMPENSATION_FAILED
            COMPENSATING        | Claimed (taken over)          | COMPENSATING, COMPENSATION_FAILED
            COMPENSATING        | Failed                        | COMPENSATING, COMPENSATION_FAILED
            COMPENSATING        | Failed (interrupted)          | COMPENSATING
            COMPENSATING        | ForceCompleted                | COMPENSATION_FAILED
            COMPENSATING        | Rejected                      | COMPENSATION_FAILED
            COMPENSATING        | Retried                       | SUCCEEDED, UNKNOWN, COMPENSATING
            COMPENSATING        | Stuck                         | COMPENSATING
            COMPENSATING        | Stuck (result too large)      | COMPENSATING
            COMPENSATING        | Succeeded                     | COMPENSATED, COMPENSATING
            COMPENSATING        | TimePassed                    | COMPENSATING, COMPENSATION_FAILED
            COMPENSATING        | Withdrawn                     | COMPENSATING
            COMPENSATING        | ChildEnded (undone)           | COMPENSATED
            COMPENSATION_FAILED | Retried                       | SUCCEEDED, UNKNOWN, COMPENSATING
            CONFIRMING          | Admitted                      | CONFIRMING
            CONFIRMING          | Claimed                       | CONFIRMING
            CONFIRMING          | Claimed (taken over)          | CONFIRMING
            CONFIRMING          | Failed                        | CONFIRMING
            CONFIRMING          | Failed (interrupted)          | CONFIRMING
            CONFIRMING          | ForceCompleted                | UNKNOWN
            CONFIRMING          | Rejected                      | CONFIRMING
            CONFIRMING          | Retried                       | CONFIRMING
            CONFIRMING          | Stuck                         | CONFIRMING
            CONFIRMING          | Stuck (result too large)      | CONFIRMING
            CONFIRMING          | Succeeded                     | CONFIRMED
            CONFIRMING          | TimePassed                    | CONFIRMING
            CONFIRMING          | Withdrawn                     | CONFIRMING
            CONFIRMING          | event of another step         | CONFIRMING
            """;

    private static final List<Seen> WITHOUT_ONE_FACT = new ArrayList<>();
    private static final List<Seen> LATE_ACTIONS = new ArrayList<>();
    private static final List<Seen> OPEN_ENDS = new ArrayList<>();
    private static final List<Seen> FLIPS = new ArrayList<>();
    private static final List<Seen> UNTRIED = new ArrayList<>();
    private static final List<Seen> UNCONFIRMED = new ArrayList<>();

    private static StateTable table;

    @BeforeAll
    static void walk() {
        table = StateTable.ofSmallSagas(TransitionsTest::check);
    }

    private static void check(Seen seen) {
        if (EventLabel.endsAnAttempt(seen.event()) && attempts(seen) != 1) {
            WITHOUT_ONE_FACT.add(seen);
        }
        boolean turned = seen.after().state().turned() != null;
        if (turned
                && seen.after().calls().stream()
                        .anyMatch(call -> call.phase() != Phase.COMPENSATION && call.phase() != Phase.PROBE)) {
            LATE_ACTIONS.add(seen);
        }
        if (seen.after().state().status() == SagaStatus.FORCE_COMPLETED && goesOn(seen.after())) {
            OPEN_ENDS.add(seen);
        }
        checkConfirms(seen);
    }

    private static void checkConfirms(Seen seen) {
        SagaState after = seen.after().state();
        SagaMachine machine = new SagaMachine(seen.definition());
        boolean confirms = IntStream.range(0, after.steps().size()).anyMatch(i -> isConfirmed(seen.before(), i));
        boolean forced = after.status() == SagaStatus.FORCE_COMPLETED;
        if (confirms && !forced && (after.turned() != null || !machine.isDecided(after))) {
            FLIPS.add(seen);
        }
        if (seen.after().calls().stream()
                .filter(call -> call.phase() == Phase.CONFIRM)
                .anyMatch(call -> after.steps().get(call.step()).completed() == 0 || !machine.isDecided(after))) {
            UNTRIED.add(seen);
        }
        if (after.status() == SagaStatus.COMPLETED
                && IntStream.range(0, after.steps().size()).anyMatch(i -> isUnconfirmed(seen, i))) {
            UNCONFIRMED.add(seen);
        }
    }

    private static boolean isConfirmed(SagaState state, int i) {
        StepStatus status = state.steps().get(i).status();
        return status == StepStatus.CONFIRMING || status == StepStatus.CONFIRMED;
    }

    private static boolean isUnconfirmed(Seen seen, int i) {
        StepStatus status = seen.after().state().steps().get(i).status();
        boolean tcc = seen.definition().steps().get(i).confirming() != null;
        return tcc && status != StepStatus.CONFIRMED && status != StepStatus.SKIPPED;
    }

    private static boolean goesOn(Transition after) {
        boolean open = after.state().steps().stream()
                .map(StepState::status)
                .anyMatch(
                        Set.of(StepStatus.EXECUTING, StepStatus.WAITING, StepStatus.COMPENSATING, StepStatus.CONFIRMING)
                                ::contains);
        return open
                || !after.calls().isEmpty()
                || !after.suspects().isEmpty()
                || after.state().pending() != null;
    }

    private static long attempts(Seen seen) {
        return seen.after().facts().stream()
                .filter(fact -> fact.step() == EventLabel.stepOf(seen.event()))
                .filter(fact -> fact.outcome() != Outcome.SKIPPED || fact.phase() == Phase.CONDITION)
                .count();
    }

    @Test
    void every_expected_transition_of_a_step_is_visited() {
        assertThat(visited()).containsAll(expected());
    }

    @Test
    void no_other_transition_of_a_step_is_visited() {
        assertThat(expected()).containsAll(visited());
    }

    @Test
    void every_end_of_an_attempt_gives_one_line_of_history() {
        assertThat(WITHOUT_ONE_FACT).isEmpty();
    }

    @Test
    void no_action_begins_once_the_saga_has_turned() {
        assertThat(LATE_ACTIONS).isEmpty();
    }

    @Test
    void a_saga_that_was_ended_by_force_leaves_nothing_open() {
        assertThat(OPEN_ENDS).isEmpty();
    }

    @Test
    void what_is_being_confirmed_never_turns() {
        assertThat(FLIPS).isEmpty();
    }

    @Test
    void nothing_is_confirmed_that_was_not_tried_or_before_the_decision() {
        assertThat(UNTRIED).isEmpty();
    }

    @Test
    void a_saga_that_completes_has_confirmed_all_that_it_has_tried() {
        assertThat(UNCONFIRMED).isEmpty();
    }

    @Test
    void only_an_operator_ends_by_force_and_from_every_status_that_is_no_end() {
        Map<SagaStatus, Set<String>> found = new TreeMap<>();
        table.sagas()
                .forEach((from, events) -> events.forEach((event, all) -> {
                    if (all.contains(SagaStatus.FORCE_COMPLETED)) {
                        found.computeIfAbsent(from, status -> new TreeSet<>()).add(event);
                    }
                }));

        Set<String> event = Set.of("ForceCompleted");
        assertThat(found)
                .isEqualTo(Map.of(SagaStatus.RUNNING, event, SagaStatus.COMPENSATING, event, SagaStatus.FAILED, event));
    }

    @Test
    void only_a_parent_opens_what_has_ended_and_only_what_has_completed() {
        assertThat(table.sagas())
                .containsEntry(
                        SagaStatus.COMPLETED,
                        Map.of(
                                "TurnRequested (by the parent)",
                                Set.of(SagaStatus.COMPENSATING, SagaStatus.COMPENSATED)))
                .doesNotContainKeys(SagaStatus.COMPENSATED, SagaStatus.FORCE_COMPLETED);
    }

    @Test
    void the_page_is_up_to_date() throws IOException {
        String text = StateMachinePage.of(table);
        if (Boolean.getBoolean("saga.docs.refresh")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, text);
        }

        assertThat(PAGE)
                .as("docs/state-machine.md is stale; to refresh it: " + REFRESH)
                .hasContent(text);
    }

    private static List<String> visited() {
        List<String> lines = new ArrayList<>();
        table.steps()
                .forEach((from, events) -> events.forEach(
                        (event, all) -> all.keySet().forEach(to -> lines.add(from + " | " + event + " | " + to))));
        return lines;
    }

    private static List<String> expected() {
        return EXPECTED.lines()
                .map(line -> line.split(" *\\| *"))
                .flatMap(cells -> Stream.of(cells[2].split(", ")).map(to -> cells[0] + " | " + cells[1] + " | " + to))
                .toList();
    }
}
