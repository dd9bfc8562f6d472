package io.backstep.saga.simulation;

import io.backstep.saga.store.Listening;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hints between nodes, in every second world: for nothing, before the commit or long after it, some lost, also to the dead. */
final class Hints {
    private static final int FOR_NOTHING = 5;

    private record Listener(SimNode node, Runnable hint) {}

    private final World world;
    private final Dice dice;
    private final boolean used;
    private final List<Listener> listeners = new ArrayList<>();

    Hints(World world) {
        this.world = world;
        this.dice = world.scenario.dice(12);
        this.used = dice.chance(0.5);
    }

    Listening listen(@Nullable SimNode node, Runnable hint) {
        if (node == null || !used) {
            return () -> {};
        }
        Listener listener = new Listener(node, hint);
        listeners.add(listener);
        for (int i = 0; i < FOR_NOTHING; i++) {
            send(listener, dice.between(0L, world.scenario.faultsEnd));
        }
        return () -> listeners.remove(listener);
    }

    /** Somebody has written something for others, and may roll it back. */
    void written() {
        for (Listener listener : List.copyOf(listeners)) {
            if (dice.chance(0.7)) {
                send(listener, dice.magnitude(1, 2 * world.scenario.poll));
            }
        }
    }

    private void send(Listener listener, long after) {
        world.loop.after(
                after,
                () -> listener.node().deliver(() -> {
                    world.tally.reach(Goal.HINTED);
                    listener.hint().run();
                }));
    }
}
