package io.backstep.saga.simulation;

import io.backstep.saga.engine.Tuning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that a seed says before anything runs. Every part has draws of its own, so that leaving out one leaves the others as they are. */
final class Scenario {
    private static final long MILLI = 1_000_000L;

    final long seed;
    final Map<Fault, Double> intensities = new EnumMap<>(Fault.class);
    final long lease;
    final long poll;
    final long latency;
    /** When faults end. */
    final long faultsEnd;
    /** When everything must have settled. */
    final long bound;

    /** How long an attempt may be under way, all in all. */
    final long longestCall;

    /** How long an attempt is waited for after its timeout. */
    final long abandon;

    final int nodes;
    final List<Shape> shapes = new ArrayList<>();
    /** Of sagas that only others start. */
    final List<Shape> children = new ArrayList<>();
    /** To which instances of the second version are moved. */
    final List<Shape> next = new ArrayList<>();

    final List<SagaPlan> sagas = new ArrayList<>();
    private final Tuning[] tunings;

    Scenario(long seed, Cuts cuts) {
        this.seed = seed;
        for (Fault fault : Fault.values()) {
            Dice dice = dice(1, fault.ordinal());
            boolean on = dice.chance(0.5) && !cuts.faults().contains(fault);
            intensities.put(
                    fault, on ? dice.magnitude((long) (fault.least * 1e6), (long) (fault.most * 1e6)) / 1e6 : 0);
        }
        Dice dice = dice(2);
        this.lease = dice.magnitude(300 * MILLI, 15_000 * MILLI);
        this.poll = dice.magnitude(lease / 8, lease * 3 / 4);
        this.latency = dice.magnitude(MILLI / 10, lease / 30);
        this.faultsEnd = dice.between(6, 14) * Math.max(lease, 1_000 * MILLI);
        this.nodes = Math.min(dice.between(2, 4), cuts.nodes());
        this.abandon = dice.between(0, 3) * lease;
        Tuning tuning = tuning(dice, abandon);
        this.tunings = new Tuning[nodes];
        for (int node = 0; node < nodes; node++) {
            tunings[node] = tuning.withNodeId("node-" + node);
        }
        long unit = Math.max(lease, 500 * MILLI);
        shapes(unit, cuts.steps());
        tries(unit);
        children(unit, cuts.steps());
        next(unit);
        sagas(cuts);
        this.longestCall = 3 * unit + abandon;
        this.bound = faultsEnd + 400 * unit + 10 * abandon + 120_000 * MILLI;
    }

    private Tuning tuning(Dice dice, long abandon) {
        return new Tuning(
                "node",
                dice.between(1, 8),
                Duration.ofNanos(lease),
                Duration.ofNanos(poll),
                (int) dice.magnitude(1, 100),
                Duration.ofNanos(dice.between(0, 2) * lease),
                Duration.ofNanos(abandon),
                (int) dice.magnitude(1, 100),
                dice.between(1, 3),
                on(Fault.LITTLE_ROOM)
                        ? (int) Math.round(intensity(Fault.LITTLE_ROOM))
                        : Tuning.defaults().maxInFlight(),
                on(Fault.LITTLE_ROOM)
                        ? Duration.ofNanos(dice(8).magnitude(lease / 10, 4 * lease))
                        : Tuning.defaults().startTimeout());
    }

    private void shapes(long unit, int mostSteps) {
        int types = dice(3).between(1, 2);
        for (int type = 0; type < types; type++) {
            for (int version = 1; version <= 2; version++) {
                shapes.add(Shapes.draw(
                        dice(4, type, version),
                        dice(9, type, version),
                        dice(10, type, version),
                        "t" + type,
                        version,
                        unit,
                        mostSteps));
            }
        }
    }

    /** Half of the seeds have none, and are what they would be without. */
    private void tries(long unit) {
        if (dice(15).chance(0.5)) {
            for (int i = 0; i < shapes.size(); i++) {
                shapes.set(i, Shapes.withTries(shapes.get(i), dice(15, i), unit));
            }
        }
    }

    /** Some have none. A child may have children, too. */
    private void children(long unit, int mostSteps) {
        if (!dice(10).chance(0.5)) {
            return;
        }
        for (int version = 1; version <= 2; version++) {
            Shape child = Shapes.drawChild(dice(11, version), "c", version, unit, mostSteps);
            children.add(Shapes.withChildren(child, dice(12, version), "d", 1));
            children.add(Shapes.drawChild(dice(13, version), "d", version, unit, mostSteps));
        }
        for (int i = 0; i < shapes.size(); i++) {
            shapes.set(i, Shapes.withChildren(shapes.get(i), dice(14, i), "c", 0));
        }
    }

    private void next(long unit) {
        for (int i = 1; i < shapes.size() && on(Fault.MIGRATION); i += 2) {
            next.add(Moves.next(shapes.get(i), dice(16, i), unit));
        }
    }

    private void sagas(Cuts cuts) {
        Dice crowd = dice(7);
        int count = dice(5).between(2, 7) + (on(Fault.CROWD) ? crowd.between(2, 5) : 0);
        long moment = crowd.between(0, faultsEnd * 6 / 10);
        for (int i = 0; i < count; i++) {
            boolean crowded = dice(7, i).chance(intensity(Fault.CROWD));
            SagaPlan plan = plan(i, dice(6, i), crowded ? moment : null);
            if (!cuts.sagas().contains(i)) {
                sagas.add(plan);
            }
        }
    }

    private SagaPlan plan(int i, Dice dice, @Nullable Long moment) {
        String type = "t" + dice.below(shapes.size() / 2);
        long sometime = dice.between(0, faultsEnd * 6 / 10);
        long at = moment == null ? sometime : moment;
        boolean keyed = dice.chance(0.5);
        int starts = dice.chance(0.2) ? 2 : 1;
        boolean joined = dice.chance(0.4);
        double rollsBack = dice.share();
        double rejected = dice.share();
        int rejectedAt = dice.below(5);
        int stuckAt = dice.chance(0.15) ? dice.below(5) : -1;
        int undoStuckAt = dice.chance(0.3) ? dice.below(4) : -1;
        int killsAt = dice.chance(0.15) ? dice.below(3) : -1;
        double cancelled = dice.share();
        long cancelAt = at + dice.magnitude(Math.max(1, lease / 100), faultsEnd);
        return new SagaPlan(
                i,
                type,
                at,
                keyed ? "key-" + i : null,
                keyed ? starts : 1,
                joined,
                joined && rollsBack < intensity(Fault.CALLER_ROLLS_BACK),
                rejected < intensity(Fault.REJECTS) ? rejectedAt : -1,
                on(Fault.STEP_FAILS) ? stuckAt : -1,
                on(Fault.UNDO_FAILS) ? undoStuckAt : -1,
                on(Fault.CRASH_IN_CALL) ? killsAt : -1,
                cancelled < intensity(Fault.CANCELS) ? cancelAt : null,
                moment != null,
                beginsAt(i, at));
    }

    private @Nullable Long beginsAt(int i, long at) {
        Dice dice = dice(11, i);
        return dice.chance(on(Fault.MIGRATION) ? 0.3 : 0.1) ? at + dice.magnitude(lease / 10, 6 * lease) : null;
    }

    Dice dice(long... names) {
        return Dice.of(seed, names);
    }

    double intensity(Fault fault) {
        return intensities.getOrDefault(fault, 0.0);
    }

    boolean on(Fault fault) {
        return intensity(fault) > 0;
    }

    Tuning tuning(int node) {
        return tunings[node];
    }

    Shape shape(String name, int version) {
        return Stream.of(shapes, children, next)
                .flatMap(List::stream)
                .filter(shape -> shape.name().equals(name) && shape.version() == version)
                .findFirst()
                .orElseThrow(() -> new Violation("I17", "nobody has made " + name + " v" + version));
    }

    /** Of a saga with this input, or of the one for which it was started. */
    @Nullable
    SagaPlan plan(int index) {
        return sagas.stream()
                .filter(plan -> plan.index() == index % SagaPlan.CHILDREN)
                .findFirst()
                .orElse(null);
    }
}
