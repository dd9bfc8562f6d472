package io.backstep.saga.simulation;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The command line. */
final class Options {
    long from = 0;
    long seeds = 2_000;
    int threads = 2;

    @Nullable
    Long seed;

    boolean trace;
    boolean stopAtFirst;
    boolean shrink = true;
    boolean keep = true;
    Cuts cuts = Cuts.NONE;

    static Options of(String... args) {
        Options options = new Options();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--trace" -> options.trace = true;
                case "--stop-at-first" -> options.stopAtFirst = true;
                case "--no-shrink" -> options.shrink = false;
                case "--keep-no-seeds" -> options.keep = false;
                default -> {
                    if (i + 1 == args.length) {
                        throw new IllegalArgumentException("unknown, or without a value: " + args[i]);
                    }
                    options.set(args[i], args[++i]);
                }
            }
        }
        return options;
    }

    private void set(String name, String value) {
        switch (name) {
            case "--seeds" -> seeds = Long.parseLong(value);
            case "--from" -> from = Long.parseLong(value);
            case "--threads" -> threads = Integer.parseInt(value);
            case "--seed" -> seed = Long.parseLong(value);
            case "--without" -> cuts = new Cuts(Cuts.faults(value), cuts.nodes(), cuts.sagas(), cuts.steps());
            case "--nodes" -> cuts = cuts.withNodes(Integer.parseInt(value));
            case "--without-sagas" -> cuts = new Cuts(cuts.faults(), cuts.nodes(), numbers(value), cuts.steps());
            case "--steps" -> cuts = cuts.withSteps(Integer.parseInt(value));
            default -> throw new IllegalArgumentException("unknown option " + name);
        }
    }

    private static Set<Integer> numbers(String text) {
        Set<Integer> numbers = new TreeSet<>();
        for (String number : text.split(",")) {
            numbers.add(Integer.valueOf(number.trim()));
        }
        return numbers;
    }
}
