package io.backstep.saga.simulation;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The table of all mutants in docs/reliability.md. */
final class MutantPage {
    private static final String BEGIN = "<!-- mutants: made from their files -->\n";
    private static final String END = "<!-- end of the mutants -->";

    private MutantPage() {}

    /** The page with the table as it should be. */
    static String refreshed(String page, List<Mutant> mutants) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalStateException("the page has no place for the mutants: " + BEGIN + END);
        }
        return page.substring(0, begin + BEGIN.length()) + table(mutants) + page.substring(end);
    }

    private static String table(List<Mutant> mutants) {
        return "| mutant | planted: what goes wrong | first seed | fails in | broken |\n|---|---|---|---|---|\n"
                + mutants.stream().map(MutantPage::row).collect(Collectors.joining());
    }

    private static String row(Mutant mutant) {
        Mutant.Found found = mutant.found();
        String shown =
                found == null ? "not found | | " : found.seed() + " | " + rate(found) + " | " + found.invariant() + " ";
        return "| `" + mutant.name() + "` | " + mutant.planted() + ": " + mutant.harm() + " | " + shown + "|\n";
    }

    private static String rate(Mutant.Found found) {
        double percent = 100.0 * found.failures() / found.seeds();
        return String.format(Locale.ROOT, percent < 1 ? "%.3f %%" : "%.1f %%", percent);
    }
}
