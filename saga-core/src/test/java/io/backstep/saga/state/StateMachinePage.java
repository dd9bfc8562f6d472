package io.backstep.saga.state;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.StateTable.Sort;
import io.backstep.saga.state.StateTable.Way;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The text of {@code docs/state-machine.md}. */
final class StateMachinePage {
    private static final int MOST_LABELS = 3;
    private static final List<String> TELLING = List.of(
            "Succeeded",
            "Answered",
            "ChildEnded",
            "ChildEnded (undone)",
            "Skipped",
            "Succeeded (condition)",
            "Succeeded (probe)",
            "DidNot",
            "Rejected",
            "Failed",
            "Retried",
            "Resolved (SUCCEEDED)",
            "Resolved (REJECTED)",
            "Resolved (COMPENSATED)",
            "Stuck",
            "event of another step",
            "TurnRequested",
            "TurnRequested (by the parent)",
            "TimePassed",
            "Withdrawn",
            "Claimed (taken over)",
            "Claimed",
            "Stuck (result too large)",
            "ForceCompleted");

    private final StateTable table;
    private final List<String> lines = new ArrayList<>();

    private StateMachinePage(StateTable table) {
        this.table = table;
    }

    static String of(StateTable table) {
        StateMachinePage page = new StateMachinePage(table);
        page.write();
        return String.join("\n", page.lines) + "\n";
    }

    private void write() {
        lines.addAll(INTRODUCTION.lines().toList());
        heading("A saga");
        diagram(SagaStatus.RUNNING, targets(table.sagas()));
        header("status", "event", "next status");
        table.sagas().forEach((from, events) -> events.forEach((event, to) -> row(from, event, names(to))));
        heading("A step");
        diagram(StepStatus.PENDING, targets(steps()));
        lines.add("In brackets: the kinds of steps that take this way, when not all that can be in the status do.");
        lines.add("");
        header("status", "event", "next status");
        table.steps().forEach((from, events) -> {
            Set<Sort> all = sorts(events);
            events.forEach((event, to) -> row(from, event, names(to, all)));
        });
    }

    private Map<StepStatus, Map<String, Set<StepStatus>>> steps() {
        Map<StepStatus, Map<String, Set<StepStatus>>> plain = new TreeMap<>();
        table.steps().forEach((from, events) -> {
            Map<String, Set<StepStatus>> targets = new TreeMap<>();
            events.forEach((event, to) -> targets.put(event, to.keySet()));
            plain.put(from, targets);
        });
        return plain;
    }

    private void heading(String title) {
        lines.addAll(List.of("", "## " + title, ""));
    }

    private void header(String... cells) {
        lines.add("| " + String.join(" | ", cells) + " |");
        lines.add("|---".repeat(cells.length) + "|");
    }

    private void row(Enum<?> from, String event, String to) {
        lines.add("| " + from + " | " + event + " | " + to + " |");
    }

    /** From, to, and the events between. */
    private static <S extends Enum<S>> Map<S, Map<S, Set<String>>> targets(Map<S, Map<String, Set<S>>> moves) {
        Map<S, Map<S, Set<String>>> targets = new TreeMap<>();
        moves.forEach((from, events) -> events.forEach(
                (event, all) -> all.forEach(to -> targets.computeIfAbsent(from, status -> new TreeMap<>())
                        .computeIfAbsent(to, status -> new TreeSet<>())
                        .add(event))));
        return targets;
    }

    private <S extends Enum<S>> void diagram(S first, Map<S, Map<S, Set<String>>> targets) {
        Set<S> last = new LinkedHashSet<>();
        lines.addAll(List.of("```mermaid", "stateDiagram-v2", "    [*] --> " + first));
        targets.forEach((from, all) -> all.forEach((to, events) -> {
            if (from != to) {
                lines.add("    " + from + " --> " + to + label(events));
            }
            last.add(to);
        }));
        last.removeAll(targets.keySet());
        last.stream().sorted().forEach(status -> lines.add("    " + status + " --> [*]"));
        lines.addAll(List.of("```", ""));
    }

    /** The most telling events; the table has them all. */
    private static String label(Set<String> events) {
        List<String> most =
                TELLING.stream().filter(events::contains).limit(MOST_LABELS).toList();
        return " : " + String.join(", ", most) + (most.size() < events.size() ? ", ..." : "");
    }

    private static String names(Set<? extends Enum<?>> statuses) {
        return statuses.stream().map(Enum::name).collect(Collectors.joining(", "));
    }

    private static String names(Map<StepStatus, Set<Sort>> targets, Set<Sort> all) {
        return targets.entrySet().stream()
                .map(to -> to.getKey() + (to.getValue().equals(all) ? "" : " (" + words(to.getValue()) + ")"))
                .collect(Collectors.joining(", "));
    }

    private static Set<Sort> sorts(Map<String, Map<StepStatus, Set<Sort>>> events) {
        return events.values().stream()
                .flatMap(to -> to.values().stream().flatMap(Set::stream))
                .collect(Collectors.toSet());
    }

    private static String words(Set<Sort> sorts) {
        List<String> parts = new ArrayList<>();
        Set<StepKind> remote = kinds(sorts, Way.REMOTE);
        Set<StepKind> local = kinds(sorts, Way.TRANSACTIONAL);
        if (remote.equals(local) && !remote.isEmpty()) {
            parts.add(kindWords(remote));
        } else {
            addWords(parts, "remote", remote);
            addWords(parts, "transactional", local);
        }
        Set<StepKind> waits = kinds(sorts, Way.WAITING);
        if (!waits.isEmpty()) {
            parts.add(
                    waits.size() == 2
                            ? "waits"
                            : "waits " + (waits.contains(StepKind.RETRIABLE) ? "after" : "before") + " the pivot");
        }
        addWords(parts, "with a child", kinds(sorts, Way.STARTING));
        if (!kinds(sorts, Way.TRYING).isEmpty()) {
            parts.add("TCC");
        }
        return String.join("; ", parts);
    }

    private static void addWords(List<String> parts, String way, Set<StepKind> kinds) {
        if (!kinds.isEmpty()) {
            parts.add(kinds.size() == StepKind.values().length ? way : way + " " + kindWords(kinds));
        }
    }

    private static Set<StepKind> kinds(Set<Sort> sorts, Way way) {
        return sorts.stream()
                .filter(sort -> sort.way() == way)
                .map(Sort::kind)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String kindWords(Set<StepKind> kinds) {
        return kinds.stream()
                .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .collect(Collectors.joining(", "));
    }

    private static final String INTRODUCTION = """
            # The state machine

            <!-- Made from the machine by TransitionsTest. Do not edit: %s -->

            Made from the machine itself: every state that a few small sagas can reach, and every event in each of them (the
            events of `SagaEvent`). Shown is what an event leads to in the end: a takeover makes an attempt that was under way
            wait, and begins the next one in the same transition, so EXECUTING leads to EXECUTING. An event that is not shown
            for a status changes nothing, or is refused.

            - *Succeeded (condition)*: the condition of a step holds, so its action is called. *Skipped*: it does not hold. A step that has
              a condition is EXECUTING while that is asked, too; until it has answered, a remote step is no more in doubt than a transactional one.
            - *Succeeded (probe)*: a probe found that its action had taken effect. *DidNot*: that it had not. *Failed (probe)*: it does not know.
              A step is EXECUTING while its probe is asked, and WAITING before that, also while the saga is COMPENSATING.
            - *TimePassed* also stands for the deadline, which turns a saga that is undecided; so does any other event that finds
              it passed.
            - *Stuck*: stored data cannot be read, or a result cannot be stored. Its step may have taken effect if it is remote.
            - *Retried*: an operator's retry of a parked saga, in the direction that it had.
            - *Answered*: what the step waits for is there, a signal for instance; *TimePassed* and the other events end a wait whose time is up.
            - *Started*: the input of a child saga is made, and the write of this starts it. *ChildEnded*: it has completed, or, *(undone)*, was
              compensated. *TurnRequested (by the parent)* also turns a saga that has completed.
            - *ForceCompleted*: an operator ends a saga that has not ended. Nothing more is run or undone; a step says what it may be.
            - *Admitted*: a step that has killed two nodes may begin; one such step at a time runs on a node.
            - WAITING is both a step whose next attempt has its time and a step that waits for a signal, lets time pass, or waits for its child.
            - A TCC step is EXECUTING while it is tried, and SUCCEEDED once that is recorded; it is CONFIRMING from the decision on: the record of
              the pivot, or without one of the last step that is not best-effort. A cancel is its compensation.
            - CONFIRMING is a confirm that is under way, one that waits for its next attempt, and one that waits for an operator.
            - COMPENSATING is both a compensation that is under way and one that waits for its next attempt, or for the child to be undone.
            """.formatted(TransitionsTest.REFRESH);
}
