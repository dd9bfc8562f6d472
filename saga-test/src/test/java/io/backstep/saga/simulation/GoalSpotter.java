package io.backstep.saga.simulation;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Sees in what was written which goals a seed has reached. */
final class GoalSpotter {
    private static final int SUSPECT_TAKEOVERS = 2;

    private final World world;

    GoalSpotter(World world) {
        this.world = world;
    }

    void inserted(InstanceRow row, Collection<Watched> all) {
        boolean other = all.stream()
                .map(saga -> saga.row)
                .anyMatch(one ->
                        one.status().active() && one.name().equals(row.name()) && one.version() != row.version());
        world.tally.reachIf(other, Goal.TWO_VERSIONS_AT_ONCE);
    }

    void looked(ClaimRequest request, Collection<Watched> all) {
        Instant now = world.databaseNow();
        boolean lacks = all.stream().map(saga -> saga.row).anyMatch(row -> {
            Instant due = row.dueAt();
            return due != null && due.isBefore(now) && !request.definitionIds().contains(row.definitionId());
        });
        world.tally.reachIf(lacks, Goal.VERSION_THAT_A_NODE_LACKS_WAITS);
    }

    void claimed(InstanceRow before) {
        world.tally.reachIf(before.owner() != null, Goal.LEASE_STOLEN);
        boolean atOnce = before.epoch() == 0
                && before.createdAt().plusNanos(world.scenario.poll / 10).isAfter(world.databaseNow());
        world.tally.reachIf(atOnce, Goal.JOINED_START_CLAIMED_AT_ONCE);
    }

    void recovered(Watched saga, InstanceRow after) {
        if (saga.inDoubt >= 0) {
            boolean applied = after.seq() == saga.inDoubt + 1;
            if (saga.inDoubtIsWork) {
                world.tally.reach(
                        applied ? Goal.TRANSACTION_IN_DOUBT_WAS_APPLIED : Goal.TRANSACTION_IN_DOUBT_WAS_NOT_APPLIED);
            } else {
                world.tally.reach(applied ? Goal.COMMIT_IN_DOUBT_WAS_APPLIED : Goal.COMMIT_IN_DOUBT_WAS_NOT_APPLIED);
                world.tally.reachIf(
                        saga.inDoubtInABatch,
                        applied ? Goal.BATCH_IN_DOUBT_WAS_APPLIED : Goal.BATCH_IN_DOUBT_WAS_NOT_APPLIED);
            }
            saga.inDoubt = -1;
        }
    }

    void written(Watched saga, InstanceRow before, InstanceRow after) {
        List<HistoryEntry> added = saga.lines.stream()
                .filter(line -> line.seq() == after.seq())
                .map(HistoryRow::entry)
                .toList();
        added.forEach(entry -> line(saga, entry));
        added.stream().filter(entry -> entry.phase() == Phase.PROBE).forEach(entry -> probe(saga, entry));
        boolean once = saga.shape.steps().stream().anyMatch(saga.model::calledTheOnlyTime);
        world.tally.reachIf(once && after.status() == SagaStatus.COMPENSATED, Goal.NOT_CALLED_AGAIN);
        long takenOver = added.stream()
                .filter(entry -> entry.outcome() == Outcome.TAKEN_OVER)
                .count();
        world.tally.reachIf(takenOver > 1, Goal.BRANCHES_TAKEN_OVER_TOGETHER);
        boolean awaited = saga.model.turned
                && added.stream()
                        .anyMatch(entry -> entry.phase() == Phase.ACTION && entry.outcome() == Outcome.SUCCEEDED);
        world.tally.reachIf(awaited, Goal.SIBLING_AWAITED_AT_THE_TURN);
        Tally tally = world.tally;
        tally.reachIf(after.steps().split("\"CONFIRMING\"", -1).length > 2, Goal.CONFIRMS_AT_ONCE);
        tally.reachIf(
                before.owner() != null && after.owner() == null && world.stopping(before.owner()),
                Goal.RELEASED_AT_STOP);
        if (after.status() == SagaStatus.FAILED && after.reason() != null) {
            switch (after.reason()) {
                case COMPENSATION_EXHAUSTED -> tally.reach(Goal.COMPENSATION_EXHAUSTED);
                case PIVOT_UNKNOWN -> tally.reach(Goal.PIVOT_UNKNOWN);
                case RETRIABLE_EXHAUSTED -> tally.reach(Goal.RETRIABLE_EXHAUSTED);
                case RETRIABLE_REJECTED -> tally.reach(Goal.RETRIABLE_REJECTED);
                case TAKEOVER_LIMIT -> tally.reach(Goal.TAKEOVER_LIMIT);
                case WAIT_TIMEOUT -> tally.reach(Goal.PARKED_BY_SILENCE);
                case UNREADABLE -> tally.reach(Goal.REFUSED_ROW_PARKED);
                default -> {}
            }
        }
        if (after.status() == SagaStatus.COMPENSATED) {
            boolean unknowing = saga.model.steps.stream().anyMatch(step -> step.undone && !step.done);
            tally.reachIf(unknowing, Goal.UNDONE_WITHOUT_KNOWING);
            boolean skipped = saga.model.steps.stream().anyMatch(step -> step.skipped);
            boolean undone = saga.model.steps.stream().anyMatch(step -> step.undone);
            tally.reachIf(skipped && undone, Goal.SKIPPED_AND_COMPENSATED);
            tally.reachIf(saga.moved && undone, Goal.UNDONE_AFTER_A_MOVE);
        }
    }

    private void wait(StepShape step, HistoryEntry entry) {
        Tally tally = world.tally;
        boolean signal = step.waitsFor(Waiting.What.SIGNAL);
        switch (entry.outcome()) {
            case SUCCEEDED -> tally.reach(signal ? Goal.ANSWERED : Goal.DELAY_PASSED);
            case REJECTED -> tally.reach(Goal.REFUSED_BY_SIGNAL);
            default -> {}
        }
    }

    private void line(Watched saga, HistoryEntry entry) {
        Tally tally = world.tally;
        if (entry.phase() == Phase.ACTION && saga.shape.step(entry.step()).waits() != null) {
            wait(saga.shape.step(entry.step()), entry);
        }
        if (entry.phase() == Phase.CONFIRM) {
            confirm(saga, entry);
        }
        boolean unknown = entry.phase() == Phase.COMPENSATION
                && entry.outcome() == Outcome.SUCCEEDED
                && saga.shape.step(entry.step()).tcc()
                && !saga.model.facts(saga.shape.step(entry.step())).done;
        tally.reachIf(unknown, Goal.TRY_UNKNOWN_THEN_CANCELLED);
        switch (entry.outcome()) {
            case TAKEN_OVER -> takenOver(saga, entry);
            case SKIPPED -> tally.reachIf(entry.phase() == Phase.CONDITION, Goal.SKIPPED);
            case ABANDONED -> tally.reach(Goal.ABANDONED_ATTEMPT);
            case INTERRUPTED -> tally.reach(Goal.INTERRUPTED_ATTEMPT);
            case REJECTED -> {
                boolean doubt = entry.phase() == Phase.ACTION && saga.model.facts(saga.shape.step(entry.step())).doubt;
                tally.reachIf(doubt, Goal.REJECTED_AFTER_DOUBT);
                boolean certain = entry.attempt() > 1
                        && entry.phase() == Phase.ACTION
                        && saga.shape.step(entry.step()).doubts().definite();
                tally.reachIf(certain, Goal.REJECTED_FOR_CERTAIN);
            }
            case TURNED -> turned(entry);
            default -> {
                boolean suspect = entry.phase() == Phase.ACTION
                        && saga.model.facts(saga.shape.step(entry.step())).takeovers >= SUSPECT_TAKEOVERS;
                tally.reachIf(suspect && entry.outcome() == Outcome.SUCCEEDED, Goal.SUSPECT_RAN_ALONE);
            }
        }
    }

    private void confirm(Watched saga, HistoryEntry entry) {
        Tally tally = world.tally;
        switch (entry.outcome()) {
            case SUCCEEDED -> {
                tally.reachIf(entry.attempt() > 1, Goal.CONFIRM_RETRIED);
                boolean failedBefore = saga.lines.stream()
                        .map(HistoryRow::entry)
                        .takeWhile(line -> line.outcome() != Outcome.RESUMED)
                        .anyMatch(line ->
                                line.phase() == Phase.CONFIRM && line.step().equals(entry.step()));
                tally.reachIf(failedBefore && entry.attempt() == 1, Goal.CONFIRMED_AFTER_A_RETRY);
            }
            case TAKEN_OVER -> tally.reach(Goal.CONFIRM_TAKEN_OVER);
            case REJECTED -> tally.reach(Goal.CONFIRM_REFUSED);
            default -> tally.reachIf(saga.model.confirms.spent(), Goal.CONFIRM_SPENT);
        }
    }

    private void probe(Watched saga, HistoryEntry entry) {
        Tally tally = world.tally;
        StepShape step = saga.shape.step(entry.step());
        tally.reachIf(saga.model.turned, Goal.PROBED_ON_THE_WAY_BACK);
        tally.reachIf(saga.model.facts(step).rejected, Goal.PROBED_AFTER_A_REJECTION);
        switch (entry.outcome()) {
            case SUCCEEDED -> tally.reach(step.is(StepKind.PIVOT) ? Goal.PROBE_FOUND_A_PIVOT : Goal.PROBE_FOUND);
            case DID_NOT -> tally.reach(Goal.PROBE_DENIED);
            case UNKNOWN -> tally.reach(Goal.PROBE_DID_NOT_KNOW);
            case TAKEN_OVER -> tally.reach(Goal.PROBE_TAKEN_OVER);
            default -> {}
        }
    }

    private void takenOver(Watched saga, HistoryEntry entry) {
        world.tally.reachIf(entry.phase() == Phase.CONDITION, Goal.CONDITION_TAKEN_OVER);
        if (entry.phase() == Phase.COMPENSATION) {
            world.tally.reach(Goal.TAKEOVER_OF_A_COMPENSATION);
        } else if (saga.shape.step(entry.step()).local()) {
            world.tally.reach(Goal.TAKEOVER_OF_A_TRANSACTIONAL_STEP);
        }
    }

    private void turned(HistoryEntry entry) {
        Tally tally = world.tally;
        if (entry.reason() != null) {
            switch (entry.reason()) {
                case REJECTED -> tally.reach(Goal.TURNED_BY_REJECTION);
                case ATTEMPTS_EXHAUSTED -> tally.reach(Goal.TURNED_BY_SPENT_ATTEMPTS);
                case DEADLINE_EXCEEDED -> tally.reach(Goal.TURNED_BY_DEADLINE);
                case CANCELLED -> tally.reach(Goal.TURNED_BY_CANCEL);
                case OPERATOR -> tally.reach(Goal.TURNED_BY_OPERATOR);
                case UNANSWERED -> tally.reach(Goal.TURNED_BY_SILENCE);
                default -> {}
            }
        }
    }

    void operated(InstanceRow before, InstanceRow after, boolean held, boolean force, List<AuditEntry> audit) {
        Tally tally = world.tally;
        tally.reachIf(held && force, Goal.OPERATOR_WITH_FORCE);
        tally.reachIf(after.status() == SagaStatus.FORCE_COMPLETED, Goal.FORCE_COMPLETED);
        boolean confirming = before.steps().contains("\"CONFIRMING\"");
        tally.reachIf(confirming && after.status() == SagaStatus.FORCE_COMPLETED, Goal.CONFIRMING_ENDED_BY_FORCE);
        boolean parked = before.status() == SagaStatus.FAILED && after.status().active();
        tally.reachIf(parked && after.status() == SagaStatus.RUNNING, Goal.RETRIED_BY_OPERATOR);
        tally.reachIf(
                parked && before.reason() == SagaReason.WAIT_TIMEOUT && after.status() == SagaStatus.RUNNING,
                Goal.WAITED_AGAIN_AFTER_A_RETRY);
        tally.reachIf(parked && after.status() == SagaStatus.COMPENSATING, Goal.RETRIED_COMPENSATION);
    }
}
