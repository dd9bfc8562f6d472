package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What happens to nodes and to the database: crashes, pauses, stops, deploys, outages. */
final class Trouble {
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final Dice dice;
    private final List<SimNode> all = new ArrayList<>();
    private final List<SimNode> current = new ArrayList<>();
    private final int[] generations;
    private boolean calm;
    private int restarting;

    Trouble(World world) {
        this.world = world;
        this.dice = world.scenario.dice(40);
        this.generations = new int[world.scenario.nodes];
    }

    void begin() {
        Dice first = world.scenario.dice(41);
        boolean oldOnly = world.scenario.on(Fault.DEPLOY) && first.chance(0.7);
        boolean migrates = world.scenario.on(Fault.MIGRATION);
        oldOnly |= migrates && world.scenario.dice(43).chance(0.8);
        for (int i = 0; i < world.scenario.nodes; i++) {
            boot(i, oldOnly ? Set.of(1) : Set.of(1, 2));
        }
        often(Fault.CRASH, this::crash);
        often(Fault.PAUSE, this::pause);
        often(Fault.STOP, () -> stop(null));
        often(Fault.DEPLOY, () -> stop(dice.one(Set.of(1), Set.of(1, 2), Set.of(2))));
        often(Fault.OUTAGE, this::outage);
        often(Fault.MIGRATION, () -> stop(dice.one(Set.of(1), Set.of(1, 2), Set.of(1, 2), Set.of(2))));
    }

    /** As often as the intensity says, at any time before the faults end. */
    private void often(Fault fault, Runnable happens) {
        Dice own = world.scenario.dice(42, fault.ordinal());
        int times = (int) Math.round(world.scenario.intensity(fault));
        for (int i = 0; i < times; i++) {
            world.loop.at(own.between(1, world.scenario.faultsEnd - 1), () -> {
                world.tally.fault(fault);
                happens.run();
            });
        }
    }

    private void boot(int index, Set<Integer> versions) {
        SimNode node = new SimNode(world, index, generations[index]++, versions);
        all.add(node);
        if (current.size() <= index) {
            current.add(node);
        } else {
            current.set(index, node);
        }
        world.trace.line(() -> node + " starts with versions " + versions);
        world.loop.soon(() -> node.deliver(node::start));
    }

    Optional<SimNode> node(String owner) {
        return all.stream().filter(node -> node.owner.equals(owner)).findFirst();
    }

    /** Whether a node of this name knows how to move instances. */
    boolean moves(String name) {
        return all.stream().anyMatch(node -> node.owner.startsWith(name + "/") && node.moves());
    }

    /** A node that can be asked something, or none. */
    Optional<SimNode> serving(Dice by) {
        List<SimNode> serving =
                current.stream().filter(node -> node.serves() && !node.paused()).toList();
        return serving.isEmpty() ? Optional.empty() : Optional.of(serving.get(by.below(serving.size())));
    }

    private SimNode any() {
        return current.get(dice.below(current.size()));
    }

    private void crash() {
        SimNode node = any();
        if (node.alive()) {
            kill(node);
        }
    }

    /** As kill -9; somebody starts it again after a while. */
    void kill(SimNode node) {
        world.trace.mix(0x4b);
        world.trace.line(() -> node + " is killed");
        node.kill();
        restart(node, node.versions);
    }

    private void restart(SimNode node, Set<Integer> versions) {
        restarting++;
        world.loop.after(dice.between(0, 3 * world.scenario.lease), () -> {
            restarting--;
            boot(node.index, calm ? Set.of(1, 2) : versions);
        });
    }

    private void pause() {
        SimNode node = any();
        long time = dice.magnitude(Math.max(1, world.scenario.lease / 4), 4 * world.scenario.lease);
        if (node.alive() && !node.paused()) {
            world.tally.reachIf(time > world.scenario.lease, Goal.PAUSED_BEYOND_THE_LEASE);
            world.trace.line(() -> node + " pauses for " + time / 1e9);
            node.pause();
            world.loop.after(time, node::resume);
        }
    }

    private void stop(@Nullable Set<Integer> versions) {
        stop(any(), versions);
    }

    private void stop(SimNode node, @Nullable Set<Integer> versions) {
        if (node.serves()) {
            world.trace.line(() -> node + " is told to stop");
            node.deliver(() -> node.stop(() -> {
                world.trace.line(() -> node + " has stopped");
                restart(node, versions == null ? node.versions : versions);
            }));
        }
    }

    private void outage() {
        if (world.database.away()) {
            return;
        }
        world.trace.line(() -> "the database crashes");
        boolean busy = world.checker.sagas().values().stream()
                .anyMatch(saga -> saga.row.status().active());
        world.tally.reachIf(busy, Goal.OUTAGE_WITH_SAGAS_UNDER_WAY);
        world.database.crash();
        world.loop.after(dice.magnitude(SECOND / 10, 3 * world.scenario.lease), () -> {
            world.trace.line(() -> "the database is back");
            world.database.restart();
        });
    }

    /** Faults are over: what is paused goes on, and all versions come everywhere. */
    void calmDown() {
        calm = true;
        world.trace.line(() -> "faults are over");
        world.database.restart();
        for (SimNode node : List.copyOf(current)) {
            node.resume();
            if (node.alive() && node.versions.size() < 2) {
                upgrade(node);
            }
        }
    }

    private void upgrade(SimNode node) {
        if (node.serves()) {
            stop(node, Set.of(1, 2));
        } else if (node.alive()) {
            world.loop.after(SECOND, () -> upgrade(node));
        }
    }

    boolean settled() {
        return restarting == 0
                && current.stream()
                        .allMatch(node -> node.serves() && node.engine.status().held() == 0);
    }

    /** Nodes remember nothing of sagas that have ended. */
    void check() {
        for (SimNode node : current) {
            int held = node.engine.status().held();
            require(held == 0, "E5", () -> node + " still holds " + held + " sagas");
        }
    }
}
