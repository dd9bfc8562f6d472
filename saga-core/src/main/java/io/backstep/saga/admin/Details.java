package io.backstep.saga.admin;

import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts together what is known of one saga. */
final class Details {
    /** A saga may have tens of thousands of lines; the latest tell how it stands. */
    private static final int LATEST_WRITES = 500;

    private static final int LATEST_LINES = 2000;

    private final Operators operators;

    Details(Operators operators) {
        this.operators = operators;
    }

    Optional<SagaDetail> of(UUID sagaId) {
        return operators.store().inspect(sagaId).map(this::of);
    }

    private SagaDetail of(Inspected found) {
        Seen seen = Seen.of(operators, found);
        InstanceRow row = found.row();
        List<SagaDetail.StepLine> steps = steps(row, seen);
        return new SagaDetail(
                row,
                seen.version(),
                found.held(),
                steps,
                operators.store().compensations(row.sagaId()),
                found.mail(),
                Rules.allowed(seen),
                Why.of(seen, steps));
    }

    private List<SagaDetail.StepLine> steps(InstanceRow row, Seen seen) {
        Map<String, StepState> states;
        try {
            states = operators.steps(row);
        } catch (SagaSerializationException e) {
            return List.of();
        }
        Map<String, HistoryEntry> last = new HashMap<>();
        Map<String, String> results = new HashMap<>();
        for (HistoryRow line : latest(row)) {
            HistoryEntry entry = line.entry();
            last.put(entry.step(), entry);
            String result = entry.result();
            if (result != null && entry.completes()) {
                results.put(entry.step(), result);
            }
        }
        List<SagaDetail.StepLine> lines = new ArrayList<>();
        states.forEach((name, state) -> lines.add(
                line(row, name, state, results.get(name), last.get(name), Verdicts.allowed(seen, name, false))));
        return lines;
    }

    private List<HistoryRow> latest(InstanceRow row) {
        HistoryRow.Place from =
                row.seq() > LATEST_WRITES ? new HistoryRow.Place(row.seq() - LATEST_WRITES, Integer.MAX_VALUE) : null;
        return operators.store().history(row.sagaId(), from, LATEST_LINES);
    }

    private static SagaDetail.StepLine line(
            InstanceRow row,
            String name,
            StepState state,
            @Nullable String result,
            @Nullable HistoryEntry last,
            List<Resolution> resolutions) {
        return new SagaDetail.StepLine(
                name,
                state.status(),
                state.failures(),
                state.interruptions(),
                state.takeovers(),
                state.inDoubt(),
                state.phase() == Phase.PROBE ? state.attempt() : null,
                state.awaiting(),
                state.notBefore() == null ? null : row.createdAt().plus(state.notBefore()),
                result,
                last == null ? null : last.outcome(),
                last == null ? null : last.errorText(),
                resolutions);
    }
}
