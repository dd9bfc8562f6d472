package io.backstep.saga.simulation;

import java.util.List;

/** What becomes of a call on the way to the database and back. */
final class Network {
    enum Fate {
        FINE,
        SLOW,
        REFUSED,
        THROWN,
        TRANSIENT,
        LOCKED,
        REQUEST_LOST,
        ANSWER_LOST,
        DELAYED
    }

    private record Risk(Fault fault, Fate fate) {}

    private static final Risk[] RISKS = {
        new Risk(Fault.ANSWER_LOST, Fate.ANSWER_LOST),
        new Risk(Fault.REQUEST_LOST, Fate.REQUEST_LOST),
        new Risk(Fault.DELAYED, Fate.DELAYED),
        new Risk(Fault.TRANSIENT, Fate.TRANSIENT),
        new Risk(Fault.LOCKED, Fate.LOCKED),
        new Risk(Fault.SLOW_STORE, Fate.SLOW),
        new Risk(Fault.REFUSED, Fate.REFUSED),
        new Risk(Fault.THROWN, Fate.THROWN)
    };

    private final World world;
    private final Dice dice;
    private final Dice thoughts;
    private final Dice rows;
    private final double[] risks = new double[RISKS.length];

    Network(World world) {
        this.world = world;
        this.dice = world.scenario.dice(10);
        this.thoughts = world.scenario.dice(11);
        this.rows = world.scenario.dice(12);
        for (int i = 0; i < RISKS.length; i++) {
            risks[i] = world.scenario.intensity(RISKS[i].fault());
        }
    }

    /** One of those that the call can have; each class has its own draw, so that leaving out one leaves the others. */
    Fate fate(boolean locks, boolean delays) {
        Fate fate = Fate.FINE;
        boolean calm = world.calm();
        for (int i = 0; i < RISKS.length; i++) {
            boolean hit = dice.chance(risks[i]);
            Fate drawn = RISKS[i].fate();
            boolean possible = (drawn != Fate.LOCKED || locks) && (drawn != Fate.DELAYED || delays);
            if (hit && possible && fate == Fate.FINE && !calm) {
                fate = drawn;
                world.tally.fault(RISKS[i].fault());
            }
        }
        return fate;
    }

    long latency(Fate fate) {
        long most = fate == Fate.SLOW ? 3 * world.scenario.lease : 2 * world.scenario.latency;
        return dice.between(most / 10, most);
    }

    /** How long after its caller was told a delayed call arrives. */
    long delay() {
        return dice.magnitude(Math.max(1, world.scenario.lease / 10), 5 * world.scenario.lease);
    }

    /** Whether a write gets all its locks, and then its commit takes long. */
    boolean slowCommit() {
        return !world.calm() && dice.chance(world.scenario.intensity(Fault.DELAYED) / 2);
    }

    /** Some of these: at least one, perhaps all. */
    <T> List<T> someOf(List<T> all) {
        T surely = all.get(rows.below(all.size()));
        return all.stream().filter(one -> one == surely || rows.chance(0.3)).toList();
    }

    /** Whether the database refuses what a row would have. */
    boolean refusesRow() {
        boolean refused = !world.calm() && rows.chance(world.scenario.intensity(Fault.ROW_REFUSED));
        if (refused) {
            world.tally.fault(Fault.ROW_REFUSED);
        }
        return refused;
    }

    /** Who reads and then writes may take long in between. */
    void thinks() {
        long lease = world.scenario.lease;
        if (!world.calm() && world.scenario.on(Fault.SLOW_STORE) && thoughts.chance(0.5)) {
            world.loop.sleep(thoughts.magnitude(Math.max(1, lease / 100), 2 * lease));
        }
    }
}
