package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** What listeners are told: never more than the history says. A node that dies may have told less. */
final class Heard implements SagaListener {
    private record Told(UUID sagaId, String step, Phase phase, int number, Outcome outcome) {}

    private final Map<Told, Integer> attempts = new HashMap<>();
    private final Map<UUID, Integer> starts = new HashMap<>();
    private final Map<UUID, Integer> ends = new HashMap<>();

    @Override
    public void started(SagaInstance saga) {
        starts.merge(saga.sagaId(), 1, Integer::sum);
    }

    @Override
    public void attemptEnded(SagaInstance saga, Attempt attempt) {
        Told told = new Told(saga.sagaId(), attempt.step(), attempt.phase(), attempt.number(), attempt.outcome());
        attempts.merge(told, 1, Integer::sum);
    }

    @Override
    public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
        if (saga.status().ended()) {
            ends.merge(saga.sagaId(), 1, Integer::sum);
        }
    }

    void check(World world) {
        // after its purge an id may come back: a start that is late finds nothing
        starts.keySet().removeAll(world.purged);
        ends.keySet().removeAll(world.purged);
        attempts.keySet().removeIf(told -> world.purged.contains(told.sagaId()));
        starts.forEach(
                (id, times) -> require(times == 1, "E4", () -> "the start of " + id + " was told " + times + " times"));
        ends.forEach((id, times) -> require(
                times == 1 || (times == 2 && world.checker.family.wasUndone(id)),
                "E4",
                () -> "the end of " + id + " was told " + times + " times"));
        attempts.forEach((told, times) -> {
            Watched saga = world.checker.watched(told.sagaId());
            if (saga != null) {
                long lines = saga.lines.stream()
                        .map(line -> line.entry())
                        .filter(line -> line.step().equals(told.step())
                                && line.phase() == told.phase()
                                && line.attempt() == told.number()
                                && line.outcome() == told.outcome())
                        .count();
                require(
                        times <= lines,
                        "E4",
                        () -> told + " was told " + times + " times, and recorded " + lines + " times");
            }
        });
    }
}
