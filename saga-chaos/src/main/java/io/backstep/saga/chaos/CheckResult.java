package io.backstep.saga.chaos;

import java.util.List;

/**
 * What became of a check.
 *
 * @param name what must hold
 * @param offenders how many rows break it
 * @param examples some of them
 */
public record CheckResult(String name, int offenders, List<String> examples) {
    /** Copies the examples. */
    public CheckResult {
        examples = List.copyOf(examples);
    }

    /**
     * Whether it holds.
     *
     * @return false when there are offenders
     */
    public boolean holds() {
        return offenders == 0;
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder(holds() ? "ok    " : "BROKEN").append(" ").append(name);
        if (!holds()) {
            text.append(": ").append(offenders);
            examples.forEach(example -> text.append("\n         ").append(example));
        }
        return text.toString();
    }
}
