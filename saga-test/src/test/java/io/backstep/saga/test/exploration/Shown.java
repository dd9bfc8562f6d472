package io.backstep.saga.test.exploration;

import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.state.Transition;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Worlds and transitions in short, for the way to a finding. */
final class Shown {
    private Shown() {}

    static String text(World world) {
        return text(world.state()) + " " + world.owner() + " | "
                + world.truths().stream().map(Shown::text).collect(Collectors.joining(", "))
                + (world.suspects().isEmpty() ? "" : " | suspects " + world.suspects());
    }

    static String text(Transition t) {
        return text(t.state()) + " | " + t.calls() + " " + t.facts()
                + (t.suspects().isEmpty() ? "" : " | suspects " + t.suspects());
    }

    private static String text(SagaState s) {
        List<StepState> steps = s.steps();
        return s.status()
                + named(" turned ", s.turned())
                + named(" pending ", s.pending())
                + named(" parked ", s.parked())
                + (Moves.FAR.equals(s.deadline()) ? "" : named(" deadline ", s.deadline()))
                + IntStream.range(0, steps.size())
                        .mapToObj(i -> i + " " + text(steps.get(i)))
                        .collect(Collectors.joining(", ", " [", "]"));
    }

    private static String text(StepState s) {
        return s.status()
                + counters(s.failures(), s.interruptions(), s.takeovers())
                + (s.inDoubt() ? " in doubt" : "")
                + (s.undecided() ? " undecided" : "")
                + (s.awaiting() ? " awaiting" : "")
                + (s.completed() > 0 ? " #" + s.completed() : "")
                + named(" at ", s.notBefore());
    }

    private static String text(Truth t) {
        return t.effect()
                + (t.answer() == Answer.OPEN ? "" : " said " + t.answer())
                + named(" runs ", t.underWay())
                + named(" waits until ", t.waitsUntil())
                + (t.children() == 0 ? "" : " child " + t.children() + " " + t.child())
                + counters(t.failures(), t.interruptions(), t.takeovers());
    }

    private static String counters(int failures, int interruptions, int takeovers) {
        return failures + interruptions + takeovers == 0 ? "" : " f" + failures + "i" + interruptions + "t" + takeovers;
    }

    private static String named(String name, Object value) {
        return value == null ? "" : name + value;
    }
}
