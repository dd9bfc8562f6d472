package io.backstep.saga.simulation;

import io.backstep.saga.definition.StepKind;

/**
 * What a step says of doubts.
 *
 * @param probed whether it has a probe
 * @param denies whether the probe can say that there was no effect; else finding nothing means not knowing
 * @param definite whether a no says that there was no effect either
 * @param once whether it is called at most once
 */
record Doubtful(boolean probed, boolean denies, boolean definite, boolean once) {
    static final Doubtful NOT = new Doubtful(false, false, false, false);

    /** Only a call of what is remote can be in doubt; a probe that never knows would let one that is called only once wait for ever. */
    static Doubtful draw(Dice dice, StepShape step) {
        boolean probed = dice.chance(0.5);
        boolean denies = dice.chance(0.6);
        boolean definite = dice.chance(0.3);
        boolean once = dice.chance(0.3);
        if (step.local() || step.waits() != null) {
            return NOT;
        }
        boolean asks = probed && !step.is(StepKind.BEST_EFFORT);
        boolean remembers = step.participant() != Participant.Kind.NAIVE_AND_REFUSING;
        return new Doubtful(asks, denies || once, definite && remembers, once);
    }
}
