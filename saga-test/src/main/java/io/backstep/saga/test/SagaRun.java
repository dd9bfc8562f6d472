package io.backstep.saga.test;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What has become of a saga. {@link SagaAssertions#assertThat(SagaRun)} checks it.
 *
 * @param saga as it was read last
 * @param history all lines of its history, in order
 */
public record SagaRun(SagaInstance saga, List<HistoryRow> history) {
    private static final int PAGE = 100;

    /** Copies the list. */
    public SagaRun {
        history = List.copyOf(history);
    }

    /**
     * Reads a saga, wherever it is kept.
     *
     * @param client finds the saga
     * @param admin reads its history, see {@link SagaAdmin#of}
     * @param sagaId its id
     * @return the saga as it is now
     * @throws java.util.NoSuchElementException when there is no such saga
     */
    public static SagaRun of(SagaClient client, SagaAdmin admin, UUID sagaId) {
        SagaInstance saga = client.find(sagaId).orElseThrow();
        List<HistoryRow> all = new ArrayList<>();
        List<HistoryRow> page = admin.history(sagaId, null, PAGE);
        while (!page.isEmpty()) {
            all.addAll(page);
            page = page.size() < PAGE
                    ? List.of()
                    : admin.history(sagaId, page.get(page.size() - 1).place(), PAGE);
        }
        return new SagaRun(saga, all);
    }

    /**
     * The history, for people and for comparison: {@code "pay #1 FAILED"} for an attempt of an action, {@code "undo pay #1 SUCCEEDED"}
     * for one of a compensation, {@code "confirm pay #1 SUCCEEDED"} for one of a confirm, {@code "probe pay #1 SUCCEEDED"} for one of a probe, {@code "saga TURNED REJECTED"} for the saga as a whole.
     *
     * @return one line for each of the history
     */
    public List<String> lines() {
        return history.stream().map(row -> line(row.entry())).toList();
    }

    private static String line(HistoryEntry entry) {
        if (entry.phase() == Phase.SAGA) {
            return "saga " + entry.outcome() + (entry.reason() == null ? "" : " " + entry.reason());
        }
        return words(entry.phase()) + entry.step() + " #" + entry.attempt() + " " + entry.outcome();
    }

    /** What stands before the name of a step. */
    static String words(Phase phase) {
        return switch (phase) {
            case COMPENSATION -> "undo ";
            case CONFIRM -> "confirm ";
            case PROBE -> "probe ";
            case SETTLEMENT -> "settle ";
            default -> "";
        };
    }

    /**
     * The TCC steps that were confirmed, in the order in which that was recorded.
     *
     * @return names of steps
     */
    public List<String> confirmed() {
        return steps(Phase.CONFIRM);
    }

    /**
     * The steps that were undone, in the order in which that was asked for.
     *
     * @return names of steps; without those that had nothing to undo, and those whose undoing was asked for and never settled
     */
    public List<String> undone() {
        return steps(Phase.COMPENSATION).stream()
                .filter(this::isUndone)
                .distinct()
                .toList();
    }

    private boolean isUndone(String step) {
        return saga.steps().stream().anyMatch(one -> one.name().equals(step) && one.status() == StepStatus.COMPENSATED);
    }

    private List<String> steps(Phase phase) {
        return history.stream()
                .map(HistoryRow::entry)
                .filter(entry -> entry.phase() == phase && entry.outcome() == Outcome.SUCCEEDED)
                .map(HistoryEntry::step)
                .toList();
    }

    /**
     * How many attempts of an action, a probe, a compensation or a confirm are in the history, lost and interrupted ones included.
     *
     * @param step the name of the step
     * @param phase action, probe, compensation or confirm
     * @return 0 when it was never called
     */
    public int attempts(String step, Phase phase) {
        return (int) history.stream()
                .map(HistoryRow::entry)
                .filter(entry -> entry.phase() == phase && entry.step().equals(step))
                .filter(entry -> entry.outcome() != Outcome.SKIPPED)
                .count();
    }

    /**
     * The history as it is printed when an assertion fails.
     *
     * @return several lines: the saga, then its history with errors
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(saga.name() + " v" + saga.version() + " " + saga.sagaId() + " is "
                + saga.status()
                + Optional.ofNullable(saga.reason())
                        .map(reason -> " (" + reason + ")")
                        .orElse("")
                + ", with this history:");
        for (HistoryRow row : history) {
            text.append("\n  ").append(line(row.entry()));
            text.append(error(row.entry()));
        }
        return history.isEmpty() ? text.append("\n  (nothing yet)").toString() : text.toString();
    }

    private static String error(HistoryEntry entry) {
        String code = entry.errorCode();
        String told = entry.errorText();
        if (code == null || told == null) {
            return "";
        }
        return ": " + (told.startsWith(code) ? told : code + " (" + told + ")");
    }
}
