package io.backstep.saga.simulation;

import io.backstep.saga.SagaException;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SignalOutcome;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;

/** Those who answer steps that wait: too early, in time, twice, too late, or never. */
final class Senders {
    /** Changes its mind. */
    private static final class RollBack extends Exception {
        private static final long serialVersionUID = 1L;

        private RollBack() {
            super("rolled back", null, false, false);
        }
    }

    private final World world;
    private final IntFunction<Set<UUID>> started;

    Senders(World world, IntFunction<Set<UUID>> started) {
        this.world = world;
        this.started = started;
    }

    void begin(SagaPlan plan) {
        boolean waits = world.scenario.shapes.stream()
                .filter(shape -> shape.name().equals(plan.type()))
                .flatMap(shape -> shape.steps().stream())
                .anyMatch(step -> step.waitsFor(Waiting.What.SIGNAL));
        int messages = waits ? world.scenario.dice(54, plan.index()).between(0, 6) : 0;
        for (int i = 0; i < messages; i++) {
            Dice own = world.scenario.dice(54, plan.index(), i);
            long at = plan.at() + own.magnitude(world.scenario.lease / 100, 6 * world.scenario.lease);
            world.loop.at(at, () -> send(plan, own));
        }
    }

    private void send(SagaPlan plan, Dice own) {
        Set<UUID> ids = started.apply(plan.index());
        Optional<SimNode> node = world.trouble.serving(own);
        Watched saga =
                ids.isEmpty() ? null : world.checker.watched(ids.iterator().next());
        List<StepShape> waits = saga == null
                ? List.of()
                : saga.shape.steps().stream()
                        .filter(step -> step.waitsFor(Waiting.What.SIGNAL))
                        .toList();
        if (waits.isEmpty() || node.isEmpty() || world.database.away()) {
            return;
        }
        UUID sagaId = ids.iterator().next();
        StepShape step = own.one(waits.toArray(StepShape[]::new));
        String messageId = "m" + own.below(4);
        boolean refuses = own.chance(0.15);
        boolean joined = own.chance(0.3);
        boolean rollsBack = joined && own.chance(0.2);
        node.get().deliver(() -> {
            try {
                SignalOutcome outcome = joined
                        ? node.get().transactions.inTransaction(() -> {
                            SignalOutcome inside =
                                    tell(node.get().engine.client(), plan, sagaId, step, messageId, refuses);
                            if (rollsBack) {
                                throw new RollBack();
                            }
                            return inside;
                        })
                        : tell(node.get().engine.client(), plan, sagaId, step, messageId, refuses);
                world.trace.line(
                        () -> "signal " + messageId + " for " + step.name() + " of " + sagaId + ": " + outcome);
                world.tally.reachIf(outcome == SignalOutcome.TOO_LATE, Goal.SIGNAL_TOO_LATE);
                world.tally.reachIf(outcome == SignalOutcome.DUPLICATE, Goal.SIGNAL_TWICE);
            } catch (SagaException | RollBack e) {
                world.trace.line(() -> "signal for " + sagaId + " failed: " + e);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static SignalOutcome tell(
            SagaClient client, SagaPlan plan, UUID sagaId, StepShape step, String messageId, boolean refuses) {
        Step<Integer> name = Step.named(step.name(), Integer.class);
        return refuses
                ? client.signalRejected(sagaId, name, "NO", "no", messageId)
                : client.signal(sagaId, name, plan.index() * 100 + step.origin(), messageId);
    }
}
