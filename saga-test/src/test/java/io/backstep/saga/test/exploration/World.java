package io.backstep.saga.test.exploration;

import io.backstep.saga.Phase;
import io.backstep.saga.state.SagaState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A recorded state of the machine, and what is true besides.
 *
 * <p>A crash before a write and a crash after it need no moves of their own: the first is a crash before the event, as nobody
 * else has seen it; the second is a crash with calls under way that never went out.
 *
 * @param state what is recorded; the present is always {@link Moves#NOW}
 * @param owner who has it
 * @param truths one for each step
 * @param completed the steps whose success is recorded, in that order
 * @param suspects steps that wait to be admitted
 * @param left what may still go wrong
 */
record World(
        SagaState state, Owner owner, List<Truth> truths, List<Integer> completed, List<Integer> suspects, Left left) {
    World {
        truths = List.copyOf(truths);
        completed = List.copyOf(completed);
        suspects = List.copyOf(suspects);
    }

    Truth truth(int step) {
        return truths.get(step);
    }

    List<Integer> underWay() {
        return IntStream.range(0, truths.size())
                .filter(step -> truth(step).underWay() != null)
                .boxed()
                .toList();
    }

    boolean isUnderWay(int step) {
        return truth(step).underWay() != null;
    }

    boolean isUnderWay(int step, Phase phase) {
        return truth(step).underWay() == phase;
    }

    boolean over() {
        return !state.status().active();
    }

    World with(SagaState next) {
        return new World(next, owner, truths, completed, suspects, left);
    }

    World with(Owner next) {
        return new World(state, next, truths, completed, suspects, left);
    }

    World with(Left next) {
        return new World(state, owner, truths, completed, suspects, next);
    }

    World with(int step, Truth next) {
        List<Truth> changed = new ArrayList<>(truths);
        changed.set(step, next);
        return new World(state, owner, changed, completed, suspects, left);
    }

    World withCompleted(int step) {
        List<Integer> longer = new ArrayList<>(completed);
        longer.add(step);
        return new World(state, owner, truths, longer, suspects, left);
    }

    World withSuspects(List<Integer> next) {
        return new World(state, owner, truths, completed, next, left);
    }
}
