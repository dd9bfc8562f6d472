package io.backstep.saga.test;

import java.util.List;

/**
 * A run of {@link CrashExplorer} with problems.
 *
 * @param run what went wrong in it, and where the node was interrupted
 * @param problems what must not be so
 * @param saga what has become of the saga
 */
public record Finding(String run, List<String> problems, SagaRun saga) {
    /** Copies the list. */
    public Finding {
        problems = List.copyOf(problems);
    }

    /**
     * For people.
     *
     * @return the run, its problems, and the history
     */
    @Override
    public String toString() {
        return "When " + run + ":\n- " + String.join("\n- ", problems) + "\n" + saga;
    }
}
