package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.NewVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a saga is in a later version.
 *
 * @param from its version so far
 * @param state its state
 * @param keys of steps that had begun under another name that name, by their name now
 * @param version the version, and the input
 * @param results encoded results that stand under another name, or are others, by their step
 */
record Moved(
        SagaDefinition<?> from,
        SagaState state,
        Map<String, String> keys,
        NewVersion version,
        Map<String, String> results) {
    /** What became of attempts whose node was lost, then the new version, then each result that it has from its former one. */
    List<HistoryEntry> history(@Nullable Prepared handedOver, String node) {
        List<HistoryEntry> lines = new ArrayList<>();
        if (handedOver != null && handedOver.mutation() != null) {
            lines.addAll(handedOver.mutation().history());
        }
        String text = "from v" + from.version() + " to v" + version.definition().version();
        lines.add(line("", Phase.SAGA, Outcome.MIGRATED, null, text, node));
        results.forEach((step, result) -> lines.add(line(step, Phase.ACTION, Outcome.SUCCEEDED, result, null, node)));
        return lines;
    }

    private static HistoryEntry line(
            String step, Phase phase, Outcome outcome, @Nullable String result, @Nullable String text, String node) {
        return new HistoryEntry(step, phase, 0, outcome, null, result, null, text, Duration.ZERO, node);
    }
}
