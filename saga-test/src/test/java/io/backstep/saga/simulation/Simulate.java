package io.backstep.saga.simulation;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Runs seeds; the command behind {@code bin/simulate}. */
final class Simulate {
    private static final int SHOWN = 5;

    private final Options options;
    private final PrintStream out;
    private final Report report = new Report();

    Simulate(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    public static void main(String... args) {
        boolean good;
        try {
            good = new Simulate(Options.of(args), System.out).run();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(good ? 0 : 1);
    }

    boolean run() {
        Long only = options.seed;
        return only == null ? many() : one(only);
    }

    private boolean one(long seed) {
        Run run = Run.of(seed, options.cuts, new LoopThread.Crew(), options.trace ? out : null);
        report.add(run);
        out.printf("seed %d: hash %016x, %d events, faults %s%n", seed, run.hash(), run.events(), run.tally().faults);
        out.println("goals " + run.tally().goals);
        return verdict();
    }

    private boolean many() {
        long begin = System.nanoTime();
        List<Long> known = options.keep ? KnownSeeds.all() : List.of();
        AtomicLong next = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < options.threads; i++) {
            Thread thread = new Thread(() -> work(known, next), "simulation-" + i);
            thread.start();
            threads.add(thread);
        }
        threads.forEach(Simulate::join);
        double seconds = (System.nanoTime() - begin) / 1e9;
        out.printf(
                "%d seeds in %.1f s, %.0f seeds/s, %.1f faults a seed, %.0f events a seed%n",
                report.runs, seconds, report.runs / seconds, report.faultsPerSeed(), report.eventsPerSeed());
        out.println("faults: " + report.faults);
        out.println("goals: " + report.goals);
        out.println(report.tcc());
        return verdict();
    }

    private void work(List<Long> known, AtomicLong next) {
        LoopThread.Crew crew = new LoopThread.Crew();
        while (true) {
            long number = next.getAndIncrement();
            boolean stop = options.stopAtFirst && report.failed();
            if (stop || number >= known.size() + options.seeds) {
                return;
            }
            long seed = number < known.size() ? known.get((int) number) : options.from + number - known.size();
            Run run = Run.of(seed, options.cuts, crew, null);
            report.add(run);
            if (seed % 100 == 0 && run.failure() == null) {
                again(run, crew);
            }
        }
    }

    /** The same seed must be the same run. */
    private void again(Run first, LoopThread.Crew crew) {
        Run second = Run.of(first.seed(), first.cuts(), crew, null);
        if (first.hash() != second.hash()) {
            Violation differs = new Violation("DETERMINISM", "two runs of the seed differ");
            report.add(new Run(first.seed(), first.cuts(), second.hash(), second.tally(), second.events(), differs));
        }
    }

    private boolean verdict() {
        List<Run> failures = report.failures.stream()
                .sorted(Comparator.comparingLong(Run::seed))
                .toList();
        failures.stream().limit(SHOWN).forEach(this::show);
        boolean missing = !options.stopAtFirst && !report.missing().isEmpty();
        if (missing) {
            out.println("NEVER REACHED: " + report.missing());
        }
        out.printf("failures: %d of %d seeds%n", failures.size(), report.runs);
        if (!failures.isEmpty()) {
            Run first = failures.get(0);
            out.printf("FIRST FAILING SEED %d: %s%n", first.seed(), first.invariant());
        }
        return failures.isEmpty() && !missing;
    }

    private void show(Run failing) {
        Throwable why = failing.failure();
        out.printf("seed %d fails: %s%n", failing.seed(), why);
        if (why != null && !(why instanceof Violation)) {
            why.printStackTrace(out);
        }
        if (options.keep) {
            KnownSeeds.add(failing.seed(), String.valueOf(failing.invariant()));
        }
        boolean smaller = options.shrink && options.seed == null;
        Run least = smaller ? new Shrinker(new LoopThread.Crew()).shrink(failing) : failing;
        out.printf(
                "    bin/simulate --seed %d%s --trace%n",
                failing.seed(), least.cuts().options());
        if (smaller) {
            out.printf("    (smallest: %s)%n", least.failure());
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
