package io.backstep.saga.test.exploration;

import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import java.time.Duration;

/**
 * What tells one world from another, in short. Left out is what the rules have found to be the same in the state (counters, the
 * order of completion, how long a step waits), and how many faults are left: a world is first reached by the fewest faults, so a later visit with less left
 * shows nothing new.
 */
final class Key {
    private Key() {}

    static String of(World world) {
        StringBuilder key = new StringBuilder(64);
        SagaState state = world.state();
        add(key, state.status().ordinal());
        add(key, ordinal(state.turned()));
        add(key, ordinal(state.pending()));
        add(key, ordinal(state.parked()));
        add(key, time(state.deadline()));
        for (StepState step : state.steps()) {
            add(key, step);
        }
        add(key, world.owner().ordinal());
        for (Truth truth : world.truths()) {
            add(key, (truth.answer().ordinal() * 4 + truth.effect().ordinal()) * 8 + ordinal(truth.underWay()));
            add(key, truth.children() * 4 + truth.child().ordinal());
        }
        add(
                key,
                bit(world.left().turn())
                        + 2 * bit(world.left().retry())
                        + 4 * bit(world.left().stuck()));
        world.suspects().forEach(step -> add(key, step));
        return key.toString();
    }

    private static void add(StringBuilder key, StepState step) {
        add(key, step.status().ordinal() * 4 + 2 * bit(step.awaiting()) + bit(step.inDoubt()));
        add(key, step.failures());
        add(key, step.interruptions());
        add(key, step.takeovers());
        add(key, step.completed());
        add(key, time(step.notBefore()));
    }

    private static void add(StringBuilder key, int part) {
        if (part < 0 || part > 255) {
            throw new IllegalStateException("too large for a key: " + part);
        }
        key.append((char) part);
    }

    private static int ordinal(Enum<?> value) {
        return value == null ? 0 : value.ordinal() + 1;
    }

    private static int bit(boolean value) {
        return value ? 1 : 0;
    }

    /** Seconds from now, all that there are. */
    private static int time(Duration time) {
        if (time == null) {
            return 255;
        }
        if (time.equals(Moves.FAR)) {
            return 254;
        }
        Duration wait = time.minus(Moves.NOW);
        if (!wait.equals(Duration.ofSeconds(wait.toSeconds())) || wait.toSeconds() > 250) {
            throw new IllegalStateException("a time that nobody asked for: " + time);
        }
        return (int) wait.toSeconds();
    }
}
