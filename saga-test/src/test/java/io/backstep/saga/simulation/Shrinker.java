package io.backstep.saga.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Leaves out of a failing seed whatever it fails without: classes of faults, nodes, sagas, steps. */
final class Shrinker {
    private static final int MOST_TRIES = 200;

    private final LoopThread.Crew crew;
    private int tries;

    Shrinker(LoopThread.Crew crew) {
        this.crew = crew;
    }

    Run shrink(Run failing) {
        Run least = failing;
        boolean smaller = true;
        while (smaller) {
            smaller = false;
            for (Cuts cuts : candidates(least)) {
                if (++tries > MOST_TRIES) {
                    return least;
                }
                Run tried = Run.of(failing.seed(), cuts, crew, null);
                if (Objects.equals(tried.invariant(), failing.invariant())) {
                    least = tried;
                    smaller = true;
                    break;
                }
            }
        }
        return least;
    }

    private static List<Cuts> candidates(Run run) {
        Scenario scenario = new Scenario(run.seed(), run.cuts());
        List<Cuts> candidates = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            if (scenario.on(fault)) {
                candidates.add(run.cuts().without(fault));
            }
        }
        scenario.sagas.forEach(saga -> candidates.add(run.cuts().withoutSaga(saga.index())));
        if (scenario.nodes > 1) {
            candidates.add(run.cuts().withNodes(scenario.nodes - 1));
        }
        int longest = scenario.shapes.stream()
                .mapToInt(shape -> shape.steps().size())
                .max()
                .orElse(1);
        if (longest > 1) {
            candidates.add(run.cuts().withSteps(longest - 1));
        }
        return candidates;
    }
}
