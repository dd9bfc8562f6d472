package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A wait that nobody answers lasts its whole time, by the database's clock. A step begins to wait no earlier than the last call that it
 * had to wait for came back, wherever that was, so this is what its time is counted from, and not what any row says.
 */
final class WaitRules {
    private record Call(UUID sagaId, int step, int attempt) {}

    /** Times of the database are whole microseconds. */
    private static final long ROUNDED = 2_000;

    private final World world;

    /** When the action of an attempt came back, by epoch: an attempt of an older one may come back later, and says nothing. */
    private final Map<Call, TreeMap<Long, Instant>> returned = new HashMap<>();

    WaitRules(World world) {
        this.world = world;
    }

    void returned(StepContext<Integer> c, StepShape step, Phase phase) {
        if (phase == Phase.ACTION) {
            returned.computeIfAbsent(new Call(c.sagaId(), step.origin(), c.attempt()), call -> new TreeMap<>())
                    .put(c.epoch(), world.databaseNow());
        }
    }

    /** The lines of one write, in order. */
    void recorded(Watched saga, InstanceRow row, List<HistoryRow> lines) {
        for (HistoryRow line : lines) {
            HistoryEntry entry = line.entry();
            if (entry.phase() == Phase.ACTION) {
                action(saga, row, saga.shape.step(entry.step()), entry);
            }
        }
    }

    private void action(Watched saga, InstanceRow row, StepShape step, HistoryEntry entry) {
        Instant from = earliest(saga, row, step);
        if (step.waits() == null) {
            Instant end = end(row, step, entry);
            saga.notEndedBefore[step.index()] = end == null || end.isBefore(from) ? from : end;
            return;
        }
        boolean timeIsUp = entry.outcome() == Outcome.TIMED_OUT
                || (entry.outcome() == Outcome.SUCCEEDED && step.waitsFor(Waiting.What.DELAY));
        Instant end = from.plusNanos(timeIsUp ? Shapes.timeout(step, saga.shape.deadline()) : 0);
        Instant now = world.databaseNow();
        require(
                !timeIsUp
                        || world.scenario.on(Fault.DRIFT)
                        || !now.plusNanos(ROUNDED).isBefore(end),
                "G12",
                () -> step.name() + " has waited until " + now + ", and its time is not up before " + end);
        saga.notEndedBefore[step.index()] = end;
        if (entry.outcome() == Outcome.TIMED_OUT) {
            saga.waitsAgainFrom[step.index()] = now;
        }
    }

    /** When the call came back whose answer is recorded. What is not known by an answer may be recorded before its call comes back. */
    private @Nullable Instant end(InstanceRow row, StepShape step, HistoryEntry entry) {
        boolean answered = entry.outcome() == Outcome.SUCCEEDED
                || entry.outcome() == Outcome.REJECTED
                || entry.outcome() == Outcome.FAILED;
        if (!answered) {
            return null;
        }
        TreeMap<Long, Instant> ends = returned.get(new Call(row.sagaId(), step.origin(), entry.attempt()));
        Map.Entry<Long, Instant> last = ends == null ? null : ends.floorEntry(row.epoch());
        return last == null ? null : last.getValue();
    }

    /** Before when it cannot have begun. */
    private Instant earliest(Watched saga, InstanceRow row, StepShape step) {
        SagaPlan plan = world.scenario.plan(Integer.parseInt(row.input()));
        Long begins = plan == null ? null : plan.beginsAt();
        Instant earliest = row.createdAt();
        if (begins != null && world.databaseTime(begins).isAfter(earliest)) {
            earliest = world.databaseTime(begins);
        }
        for (StepShape other : saga.shape.steps()) {
            Instant end = saga.notEndedBefore[other.index()];
            if (step.waitsDirectlyFor(other.index()) && end != null && end.isAfter(earliest)) {
                earliest = end;
            }
        }
        Instant again = saga.waitsAgainFrom[step.index()];
        return again == null || again.isBefore(earliest) ? earliest : again;
    }
}
