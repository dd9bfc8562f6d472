package io.backstep.saga.test;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What {@link CrashExplorer} has done, and found.
 *
 * @param runs how many sagas were run
 * @param took how long it took
 * @param findings runs with problems, in the order in which they were found
 */
public record Exploration(int runs, Duration took, List<Finding> findings) {
    private static final int SHOWN = 3;

    /** Copies the list. */
    public Exploration {
        findings = List.copyOf(findings);
    }

    /**
     * Fails when something was found.
     *
     * @return this
     * @throws AssertionError with the first findings, and their histories
     */
    public Exploration assertSound() {
        if (!findings.isEmpty()) {
            throw new AssertionError(this
                    + findings.stream()
                            .limit(SHOWN)
                            .map(finding -> "\n\n" + finding)
                            .collect(Collectors.joining()));
        }
        return this;
    }

    /**
     * For people.
     *
     * @return how many runs, and how many findings
     */
    @Override
    public String toString() {
        return findings.size() + " of " + runs + " runs have problems (" + took.toMillis() + " ms)";
    }
}
