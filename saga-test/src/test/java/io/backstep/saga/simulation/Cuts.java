package io.backstep.saga.simulation;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is left out of a seed, to find the least that still fails.
 *
 * @param faults classes of faults that do not happen
 * @param nodes how many nodes at most
 * @param sagas the sagas that are not started
 * @param steps how many steps a saga has at most
 */
record Cuts(Set<Fault> faults, int nodes, Set<Integer> sagas, int steps) {
    static final Cuts NONE = new Cuts(Set.of(), 4, Set.of(), 9);

    Cuts without(Fault fault) {
        EnumSet<Fault> more = EnumSet.of(fault);
        more.addAll(faults);
        return new Cuts(more, nodes, sagas, steps);
    }

    Cuts withoutSaga(int saga) {
        Set<Integer> more = new TreeSet<>(sagas);
        more.add(saga);
        return new Cuts(faults, nodes, more, steps);
    }

    Cuts withNodes(int most) {
        return new Cuts(faults, most, sagas, steps);
    }

    Cuts withSteps(int most) {
        return new Cuts(faults, nodes, sagas, most);
    }

    /** As options of the command. */
    String options() {
        StringBuilder text = new StringBuilder();
        if (!faults.isEmpty()) {
            text.append(" --without ").append(joined(faults));
        }
        if (nodes < NONE.nodes) {
            text.append(" --nodes ").append(nodes);
        }
        if (!sagas.isEmpty()) {
            text.append(" --without-sagas ").append(joined(sagas));
        }
        if (steps < NONE.steps) {
            text.append(" --steps ").append(steps);
        }
        return text.toString();
    }

    private static String joined(Set<?> of) {
        return of.stream().map(String::valueOf).sorted().collect(Collectors.joining(","));
    }

    static Set<Fault> faults(String text) {
        EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
        for (String name : text.split(",")) {
            faults.add(Fault.valueOf(name.trim().toUpperCase(Locale.ROOT)));
        }
        return faults;
    }
}
