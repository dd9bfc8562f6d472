package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Visits every world that one saga can come to, fewest faults first, so that the way to a finding is a short one. */
final class Explorer {
    private final String name;
    private final Plan plan;
    private final Machine machine;
    private final Moves moves;
    private final Findings findings;
    private final Telling telling;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<World> worlds = new ArrayList<>();
    private final List<Integer> cameFrom = new ArrayList<>();
    private final List<Object> cameBy = new ArrayList<>();
    private final List<int[]> goodSteps = new ArrayList<>();
    private final List<Deque<Integer>> open = new ArrayList<>();
    private final int faults;
    private long transitions;

    Explorer(
            String name,
            SagaDefinition<?> definition,
            Machine machine,
            Bounds bounds,
            Findings findings,
            Coverage coverage) {
        this.name = name;
        this.plan = new Plan(definition);
        this.machine = machine;
        this.moves = new Moves(plan, machine, bounds);
        this.findings = findings;
        this.telling = new Telling(name, plan, machine, findings, coverage);
        this.faults = bounds.faults();
        begin(new Left(bounds.faults(), true, true, true));
    }

    void run() {
        for (Deque<Integer> open = toVisit(); !open.isEmpty(); open = toVisit()) {
            int at = open.remove();
            for (Move move : moves.from(worlds.get(at))) {
                make(at, move);
            }
        }
        checkThatItEnds();
    }

    /** Those that are reached by the fewest faults come first. */
    private Deque<Integer> toVisit() {
        return open.stream().filter(worlds -> !worlds.isEmpty()).findFirst().orElseGet(ArrayDeque::new);
    }

    int worlds() {
        return worlds.size();
    }

    long transitions() {
        return transitions;
    }

    private void begin(Left left) {
        Transition first = begunNow(machine.start(Moves.FAR));
        List<Truth> truths = plan.steps().mapToObj(step -> Truth.NEW).toList();
        SagaState none = new SagaState(
                first.state().status(),
                null,
                null,
                null,
                Moves.FAR,
                plan.steps()
                        .mapToObj(step -> plan.conditional(step) ? StepState.CONDITIONAL : StepState.NEW)
                        .toList());
        for (Owner owner : List.of(Owner.LIVE, Owner.RELEASED)) {
            World before = new World(none, owner, truths, List.of(), List.of(), left);
            Happening start = Happening.of(plan, before, new SagaEvent.TimePassed(Moves.NOW), first);
            Oracle.check(start, machine, findings);
            if (!findings.file(name, () -> "start\n" + first)) {
                number(start.after(), -1, "start, " + owner);
            }
        }
    }

    /** A saga begins at time zero; here the present is later. */
    private static Transition begunNow(Transition first) {
        List<StepState> steps = first.state().steps().stream()
                .map(step -> at(
                        step, step.notBefore() == null ? null : step.notBefore().plus(Moves.NOW)))
                .toList();
        return new Transition(with(first.state(), steps), first.calls(), first.facts(), first.suspects());
    }

    private void make(int at, Move move) {
        transitions++;
        if (move.silent()) {
            reached(at, move, move.before());
            return;
        }
        World after = telling.tell(move, () -> way(at));
        // Nothing follows on an end by force, so there is no need to keep it.
        if (after != null && after.state().status() != SagaStatus.FORCE_COMPLETED) {
            reached(at, move, shifted(after, move.events().get(0).now()));
        }
    }

    private void reached(int at, Move move, World next) {
        int number = number(next, at, move.silent() ? move.label() : move.events());
        if (move.good()) {
            goodSteps.add(new int[] {at, number});
        }
    }

    private int number(World world, int from, Object by) {
        Integer known = numbers.putIfAbsent(Key.of(world), worlds.size());
        if (known != null) {
            return known;
        }
        int spent = faults - world.left().faults();
        while (open.size() <= spent) {
            open.add(new ArrayDeque<>());
        }
        open.get(spent).add(worlds.size());
        worlds.add(world);
        cameFrom.add(from);
        cameBy.add(by);
        return worlds.size() - 1;
    }

    /** The same world, with its present back at {@link Moves#NOW}. */
    private static World shifted(World world, Duration now) {
        List<StepState> steps = world.state().steps().stream()
                .map(step -> shifted(step, now.minus(Moves.NOW)))
                .toList();
        List<Truth> truths = world.truths().stream()
                .map(truth -> truth.waiting(shifted(truth.waitsUntil(), now.minus(Moves.NOW))))
                .toList();
        World next = world.with(with(world.state(), steps));
        for (int step = 0; step < truths.size(); step++) {
            next = next.with(step, truths.get(step));
        }
        return next;
    }

    private static SagaState with(SagaState state, List<StepState> steps) {
        return new SagaState(state.status(), state.turned(), state.pending(), state.parked(), state.deadline(), steps);
    }

    private static StepState shifted(StepState step, Duration by) {
        return at(step, shifted(step.notBefore(), by));
    }

    private static @Nullable Duration shifted(@Nullable Duration time, Duration by) {
        Duration then = time == null ? null : time.minus(by);
        return then != null && then.compareTo(Moves.NOW) < 0 ? Moves.NOW : then;
    }

    private static StepState at(StepState step, @Nullable Duration notBefore) {
        return new StepState(
                step.status(),
                step.failures(),
                step.interruptions(),
                step.takeovers(),
                step.inDoubt(),
                step.undecided(),
                step.awaiting(),
                step.children(),
                step.completed(),
                notBefore,
                step.question());
    }

    /** From every world a saga comes to an end, or parks, though nothing but good happens any more. */
    private void checkThatItEnds() {
        Map<Integer, List<Integer>> back = new HashMap<>();
        goodSteps.forEach(
                step -> back.computeIfAbsent(step[1], s -> new ArrayList<>()).add(step[0]));
        BitSet ends = new BitSet();
        List<Integer> open = new ArrayList<>();
        for (int at = 0; at < worlds.size(); at++) {
            if (worlds.get(at).over()) {
                ends.set(at);
                open.add(at);
            }
        }
        for (int i = 0; i < open.size(); i++) {
            for (int before : back.getOrDefault(open.get(i), List.of())) {
                if (!ends.get(before)) {
                    ends.set(before);
                    open.add(before);
                }
            }
        }
        int stuck = ends.nextClearBit(0);
        findings.expect(stuck >= worlds.size(), "progress: every saga comes to an end, or parks");
        findings.file(name, () -> way(stuck));
    }

    private String way(int to) {
        List<String> steps = new ArrayList<>();
        for (int at = to; at >= 0; at = cameFrom.get(at)) {
            steps.add("-> " + cameBy.get(at) + "\n   " + Shown.text(worlds.get(at)));
        }
        Collections.reverse(steps);
        return String.join("\n", steps);
    }
}
