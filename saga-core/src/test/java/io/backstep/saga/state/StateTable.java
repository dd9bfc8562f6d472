package io.backstep.saga.state;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.state.Reachable.Seen;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What the transitions of some small sagas have in common: from which status, on which event, to which. */
final class StateTable {
    /** What a step does. */
    enum Way {
        REMOTE,
        TRANSACTIONAL,
        WAITING,
        STARTING,
        TRYING
    }

    /** A kind of step. */
    record Sort(StepKind kind, Way way) implements Comparable<Sort> {
        static Sort of(StepDefinition step) {
            Way calls = step.transactional() ? Way.TRANSACTIONAL : step.child() == null ? Way.REMOTE : Way.STARTING;
            if (step.confirming() != null) {
                return new Sort(step.kind(), Way.TRYING);
            }
            return new Sort(step.kind(), step.waiting() == null ? calls : Way.WAITING);
        }

        @Override
        public int compareTo(Sort other) {
            int byKind = kind.compareTo(other.kind);
            return byKind == 0 ? way.compareTo(other.way) : byKind;
        }
    }

    private final Map<SagaStatus, Map<String, Set<SagaStatus>>> sagas = new TreeMap<>();
    private final Map<StepStatus, Map<String, Map<StepStatus, Set<Sort>>>> steps = new TreeMap<>();

    /** Of all events in all states that some small sagas can reach. */
    static StateTable ofSmallSagas(Consumer<Seen> check) {
        StateTable table = new StateTable();
        Consumer<Seen> add = table::add;
        Stream.of(
                        Sagas.order(),
                        Sagas.local(),
                        Sagas.noted(),
                        Sagas.noteOnly(),
                        Sagas.strict(),
                        Sagas.sideBySide(),
                        Sagas.conditional(),
                        Sagas.waits(),
                        Sagas.waitsBeside(),
                        Sagas.probed(),
                        Sagas.once(),
                        Sagas.probedBranch(),
                        Sagas.family(),
                        Sagas.settling(),
                        Sagas.decidedByChild(),
                        Sagas.tried(),
                        Sagas.triedBeside(),
                        Sagas.triedMaybe())
                .forEach(saga -> Reachable.visit(saga, add.andThen(check)));
        return table;
    }

    Map<SagaStatus, Map<String, Set<SagaStatus>>> sagas() {
        return sagas;
    }

    /** And by which kinds of steps. */
    Map<StepStatus, Map<String, Map<StepStatus, Set<Sort>>>> steps() {
        return steps;
    }

    private void add(Seen seen) {
        SagaStatus to = seen.after().state().status();
        if (seen.before().status() != to) {
            sagas.computeIfAbsent(seen.before().status(), from -> new TreeMap<>())
                    .computeIfAbsent(EventLabel.of(seen.event()), label -> new TreeSet<>())
                    .add(to);
        }
        IntStream.range(0, seen.after().state().steps().size())
                .filter(i -> touched(seen, i))
                .forEach(i -> addStep(seen, i));
    }

    private void addStep(Seen seen, int i) {
        StepDefinition step = seen.definition().steps().get(i);
        steps.computeIfAbsent(seen.before().steps().get(i).status(), from -> new TreeMap<>())
                .computeIfAbsent(EventLabel.of(seen.event(), i), label -> new TreeMap<>())
                .computeIfAbsent(seen.after().state().steps().get(i).status(), to -> new TreeSet<>())
                .add(Sort.of(step));
    }

    private static boolean touched(Seen seen, int i) {
        Transition after = seen.after();
        return !seen.before().steps().get(i).equals(after.state().steps().get(i))
                || after.calls().stream().anyMatch(call -> call.step() == i)
                || after.facts().stream().anyMatch(fact -> fact.step() == i);
    }
}
