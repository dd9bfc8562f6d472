package io.backstep.saga.admin;

import io.backstep.saga.Resolution;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says came of a step.
 *
 * @param step its name
 * @param outcome what came of it
 * @param result its result as JSON, or null
 */
record Verdict(String step, Resolution outcome, @Nullable String result) {
    /** How the audit tells it. */
    String told(String status) {
        return ", " + step + " " + status;
    }
}
