package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Mutant.Found;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Plants one bug after the other and looks whether the simulation finds it; the command behind {@code bin/simulate --mutants}.
 *
 * <p>The first 2,000 seeds all run, which gives a rate; a mutant that they do not find gets the rest of the seeds. Quick: none run after
 * the first that fails.
 */
final class Mutants {
    private static final long FIRST_SEEDS = 2_000;
    private static final long OFTEN = 200;
    private static final String ROW = "%-44s %-10s %-16s %s%n";

    private long seeds = 20_000;
    private Set<String> only = Set.of();
    private boolean quick;
    private boolean record;

    /** What became of one mutant. */
    private record Row(
            Mutant mutant, @Nullable Found found, @Nullable String trouble, boolean mustDie) {
        boolean bad() {
            return trouble != null || (found == null && mustDie);
        }

        void print() {
            if (trouble != null) {
                System.out.printf(ROW, mutant.name(), "-", "-", "TROUBLE: " + trouble);
            } else if (found != null) {
                System.out.printf(ROW, mutant.name(), found.seed(), found.rate(), found.invariant());
            } else {
                System.out.printf(ROW, mutant.name(), "-", "-", mustDie ? "SURVIVES" : "survives; it may, it is rare");
            }
        }
    }

    public static void main(String... args) throws Exception {
        Mutants mutants = new Mutants();
        try {
            mutants.set(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
        System.exit(mutants.run() ? 0 : 1);
    }

    private void set(String... args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--quick" -> quick = true;
                case "--record" -> record = true;
                case "--seeds" -> seeds = Long.parseLong(value(args, ++i));
                case "--only" -> only = Set.of(value(args, ++i).split(","));
                default -> throw new IllegalArgumentException("unknown option of --mutants: " + args[i]);
            }
        }
        seeds = quick ? FIRST_SEEDS : seeds;
    }

    private static String value(String[] args, int i) {
        if (i >= args.length) {
            throw new IllegalArgumentException("without a value: " + args[i - 1]);
        }
        return args[i];
    }

    private boolean run() throws Exception {
        if (only.isEmpty() && failsWithout()) {
            return false;
        }
        System.out.printf(ROW, "mutant", "first seed", "seeds", "invariant");
        List<Row> rows = rows();
        rows.stream()
                .filter(Row::bad)
                .forEach(row -> System.out.println("RED: bin/simulate --mutants --only "
                        + row.mutant().name() + (quick ? " --quick" : " --seeds " + seeds)));
        long killed = rows.stream().filter(row -> row.found() != null).count();
        System.out.printf("%d of %d mutants found within %d seeds%n", killed, rows.size(), seeds);
        return !rows.isEmpty() && rows.stream().noneMatch(Row::bad);
    }

    private boolean failsWithout() throws IOException, InterruptedException {
        Found failure = new MutantRun("none").seeds(0, Math.min(seeds, FIRST_SEEDS), true);
        if (failure != null) {
            System.out.println(
                    "Without any mutant the simulation fails " + failure + "; nothing can be learned from it.");
        }
        return failure != null;
    }

    /** Two at a time. */
    private List<Row> rows() throws Exception {
        ExecutorService two = Executors.newFixedThreadPool(2);
        try {
            List<Future<Row>> coming = new ArrayList<>();
            for (Mutant mutant : Mutant.all()) {
                if (only.isEmpty() || only.contains(mutant.name())) {
                    coming.add(two.submit(() -> row(mutant)));
                }
            }
            List<Row> rows = new ArrayList<>();
            for (Future<Row> next : coming) {
                Row row = next.get();
                row.print();
                rows.add(row);
            }
            return rows;
        } finally {
            two.shutdownNow();
        }
    }

    private Row row(Mutant mutant) throws InterruptedException {
        Found before = mutant.found();
        boolean mustDie = !quick || (before != null && before.inMoreThanOneOf(OFTEN));
        try {
            Found found = found(mutant);
            if (record && !quick && found != null) {
                mutant.keep(found);
            }
            return new Row(mutant, found, null, mustDie);
        } catch (IOException | RuntimeException e) {
            return new Row(mutant, null, String.valueOf(e.getMessage()), mustDie);
        }
    }

    private @Nullable Found found(Mutant mutant) throws IOException, InterruptedException {
        MutantRun run = new MutantRun(mutant.name());
        run.compile(mutant);
        Found soon = run.seeds(0, Math.min(seeds, FIRST_SEEDS), !quick);
        if (soon != null || seeds <= FIRST_SEEDS) {
            return soon;
        }
        Found later = run.seeds(FIRST_SEEDS, seeds - FIRST_SEEDS, true);
        return later == null ? null : new Found(later.seed(), later.failures(), seeds, later.invariant());
    }
}
