package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaData;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What must hold when user code is called. */
final class CallRules {
    private record Place(UUID sagaId, int step, Phase phase) {}

    /** An attempt of a step that may have killed its node. */
    record Suspect(SimNode node, UUID sagaId, StepShape step, long epoch, int attempt, long givenUpAt) {}

    /** An action, a confirm or a condition that has not come to its real end. */
    record Running(SimNode node, UUID sagaId, StepShape step, long epoch, long givenUpAt) {}

    private final World world;
    private static final int SUSPECT_TAKEOVERS = 2;

    private final Map<Place, String> keys = new HashMap<>();
    private final Map<Place, Long> failedAt = new HashMap<>();
    private final List<Suspect> suspects = new ArrayList<>();
    private final List<Running> running = new ArrayList<>();

    CallRules(World world) {
        this.world = world;
    }

    void begins(SimNode node, StepContext<Integer> c, StepShape step, Phase phase, Optional<Integer> result) {
        world.guarded(
                () -> "call of " + phase + " of " + step.name() + " of saga " + c.sagaId() + " on " + node, () -> {
                    sameKey(c, step, phase);
                    world.tcc.called(c.sagaId(), step, phase);
                    Watched saga = world.checker.watched(c.sagaId());
                    InstanceRow row = saga == null ? null : saga.row;
                    boolean old = row != null
                            && (!node.owner.equals(row.owner())
                                    || (mayNotKnow(node, saga) && row.epoch() != c.epoch()));
                    if (saga == null || row == null || old) {
                        world.tally.reach(Goal.CALL_FROM_AN_OLD_EPOCH);
                        boolean excused = saga == null || mayNotKnow(node, saga);
                        require(excused, "G3", () -> "it is not the owner's, at epoch " + c.epoch() + " of " + row);
                        return;
                    }
                    begun(c.input());
                    intended(row, step, phase);
                    awaited(node, saga, c.sagaId(), step, phase);
                    joins(saga, step, phase);
                    boolean allowed = switch (phase) {
                        case ACTION -> saga.model.mayBeCalledNow(step);
                        case PROBE -> saga.model.mayBeAskedNow(step);
                        case CONFIRM -> saga.model.confirms.mayBeConfirmedNow(step);
                        default -> saga.model.mayBeUndoneNow(step);
                    };
                    notEarly(saga, c.sagaId(), step, phase);
                    require(allowed, phase == Phase.COMPENSATION ? "I10" : "I11", () -> "it may not begin now: " + row);
                    doubts(saga, step, phase);
                    results(saga, c, step, phase, result);
                });
    }

    /** Who can be asked is asked before anything follows from a doubt; what is called at most once is not called in doubt. */
    private void doubts(Watched saga, StepShape step, Phase phase) {
        Facts facts = saga.model.facts(step);
        require(
                phase == Phase.PROBE || !facts.toBeAsked || facts.done,
                "PROBE",
                () -> phase + " of " + step.name() + " begins in doubt, and its probe was not asked: " + saga.row);
        require(
                phase != Phase.ACTION || !facts.doubt || !step.doubts().once(),
                "ONCE",
                () -> step.name() + " is called again although it may have taken effect: " + saga.row);
    }

    void asks(SimNode node, SagaData<Integer> data, StepShape step) {
        world.guarded(() -> "condition of " + step.name() + " of saga " + data.sagaId() + " on " + node, () -> {
            Watched saga = world.checker.watched(data.sagaId());
            if (saga == null || mayNotKnow(node, saga)) {
                return;
            }
            InstanceRow row = saga.row;
            require(node.owner.equals(row.owner()), "G3", () -> "it is not the owner's: " + row);
            intended(row, step, Phase.CONDITION);
            awaited(node, saga, data.sagaId(), step, Phase.CONDITION);
            Facts facts = saga.model.facts(step);
            require(!facts.allowed && !facts.skipped, "SKIP", () -> "it has answered: " + row);
            require(saga.model.mayBeCalledNow(step), "I11", () -> "it may not be asked now: " + row);
            results(saga, data, step, Phase.CONDITION, Optional.empty());
        });
    }

    Running runs(SimNode node, UUID sagaId, StepShape step) {
        Watched saga = world.checker.watched(sagaId);
        long timeout = saga == null || saga.shape.deadline() == null
                ? step.timeout()
                : Math.min(step.timeout(), saga.shape.deadline());
        long epoch = saga == null ? 0 : saga.row.epoch();
        Running call = new Running(node, sagaId, step, epoch, world.loop.now() + timeout + world.scenario.abandon);
        running.add(call);
        long beside = running.stream()
                .filter(other -> other.sagaId().equals(sagaId) && other.node() == node)
                .count();
        world.tally.reachIf(beside > 1, Goal.BRANCHES_AT_ONCE);
        world.tally.reachIf(beside > 1 && step.local(), Goal.TRANSACTIONAL_BESIDE_REMOTE);
        return call;
    }

    void ends(@Nullable Running call) {
        running.remove(call);
    }

    /** Nobody calls a step that still runs, or undoes anything meanwhile, as long as no node was lost or shut out by force. */
    private void awaited(SimNode node, Watched saga, UUID sagaId, StepShape step, Phase phase) {
        if (mayNotKnow(node, saga)) {
            return;
        }
        running.stream()
                .filter(call -> call.sagaId().equals(sagaId) && call.node().alive())
                .filter(call -> call.epoch() >= Math.max(1, saga.stolen) && world.loop.now() < call.givenUpAt())
                .filter(call -> phase == Phase.COMPENSATION || call.step() == step)
                .forEach(call -> require(false, "AWAIT", () -> "meanwhile this has not come to its end: " + call));
    }

    /** Nobody runs anything of it, as far as its owners know. */
    void restsFor(Watched saga, UUID sagaId) {
        running.stream()
                .filter(call -> call.sagaId().equals(sagaId) && call.node().alive())
                .filter(call -> !call.node().drifts() && !saga.forced)
                .filter(call -> call.epoch() >= Math.max(1, saga.stolen) && world.loop.now() < call.givenUpAt())
                .forEach(
                        call -> require(false, "MOVE", () -> "it is moved, and this has not come to its end: " + call));
    }

    private void joins(Watched saga, StepShape step, Phase phase) {
        long branches = step.after() == null ? 0 : step.after().size();
        world.tally.reachIf(phase == Phase.ACTION && branches > 1, Goal.BRANCHES_JOINED);
        boolean skipped = saga.shape.steps().stream()
                .anyMatch(other -> step.waitsDirectlyFor(other.index()) && saga.model.facts(other).skipped);
        world.tally.reachIf(phase == Phase.ACTION && skipped, Goal.WENT_ON_AFTER_A_SKIPPED_STEP);
    }

    /** By a clock that drifts a lease may seem to last when the node itself has claimed the saga again; force asks nobody. */
    private static boolean mayNotKnow(SimNode node, Watched saga) {
        return node.drifts() || saga.forced;
    }

    /** Of those steps a node runs one at a time; what it has lost or given up does not count. */
    @Nullable
    Suspect enters(SimNode node, StepContext<Integer> c, StepShape step, Phase phase) {
        Watched saga = world.checker.watched(c.sagaId());
        if (saga == null || saga.model.facts(step).takeovers < SUSPECT_TAKEOVERS) {
            return null;
        }
        long timeout = saga.shape.deadline() == null ? step.timeout() : Math.min(step.timeout(), saga.shape.deadline());
        double waits = (timeout + world.scenario.abandon) * (1 - world.scenario.intensity(Fault.DRIFT));
        long givenUpAt = world.loop.now() + (long) waits;
        int attempt = phase == Phase.PROBE ? saga.model.facts(step).attempt() : c.attempt();
        Suspect suspect = new Suspect(node, c.sagaId(), step, c.epoch(), attempt, givenUpAt);
        suspects.add(suspect);
        world.guarded(() -> "saga " + c.sagaId(), () -> {
            long running = suspects.stream()
                    .filter(other -> other.node() == node && counts(other))
                    .count();
            require(running <= 1, "SUSPECT", () -> running + " suspects run at once on " + node + ": " + suspects);
        });
        return suspect;
    }

    private boolean counts(Suspect suspect) {
        Watched saga = world.checker.watched(suspect.sagaId());
        return saga != null
                && world.loop.now() < suspect.givenUpAt()
                && suspect.node().owner.equals(saga.row.owner())
                && suspect.epoch() == saga.row.epoch()
                && suspect.attempt() == saga.model.facts(suspect.step()).attempt();
    }

    void leaves(@Nullable Suspect suspect) {
        suspects.remove(suspect);
    }

    void failed(SimNode node, StepContext<Integer> c, StepShape step, Phase phase) {
        Watched saga = world.checker.watched(c.sagaId());
        boolean its = saga != null
                && node.owner.equals(saga.row.owner())
                && saga.row.epoch() == c.epoch()
                && saga.model.facts(step).attempt() == c.attempt(); // not one that was given up long ago
        if (its) {
            failedAt.put(new Place(c.sagaId(), step.origin(), phase), world.loop.now());
        }
    }

    /** Where the last thing that is recorded is a failure, its delay has passed. */
    private void notEarly(Watched saga, UUID sagaId, StepShape step, Phase phase) {
        Long failed = failedAt.get(new Place(sagaId, step.origin(), phase));
        HistoryRow last = saga.lines.isEmpty() ? null : saga.lines.get(saga.lines.size() - 1);
        if (failed == null
                || last == null
                || last.entry().outcome() != Outcome.FAILED
                || last.entry().phase() != phase
                || !last.entry().step().equals(step.name())) {
            return;
        }
        long delay = delay(step, phase);
        double doubled = delay * Math.pow(2, saga.model.facts(step).failures - 1);
        double least = world.scenario.on(Fault.DRIFT) ? 0 : Math.min(doubled, delay * 8 / 1.2);
        require(
                world.loop.now() - failed >= least - 2000,
                "I18",
                () -> "the next attempt begins " + (world.loop.now() - failed) + " ns after a failure, not " + least);
    }

    private static long delay(StepShape step, Phase phase) {
        StepShape.Confirm confirm = step.confirm();
        if (phase == Phase.CONFIRM && confirm != null) {
            return confirm.delay();
        }
        return phase == Phase.COMPENSATION ? step.undoDelay() : step.delay();
    }

    private void sameKey(StepContext<Integer> c, StepShape step, Phase phase) {
        String key = c.idempotencyKey();
        // what was rolled back has not begun, and may have another name by now
        int operation = step.local() ? step.name().hashCode() : step.origin();
        String first = keys.putIfAbsent(new Place(c.sagaId(), operation, Phase.ACTION), key);
        require(first == null || first.equals(key), "I12", () -> "the key is " + key + ", it was " + first);
        String called = c.operationKey();
        String before = keys.putIfAbsent(new Place(c.sagaId(), -1 - operation, phase), called);
        require(before == null || before.equals(called), "I12", () -> "the key is " + called + ", it was " + before);
    }

    private void begun(int input) {
        SagaPlan plan = world.scenario.plan(input);
        Long begins = plan == null ? null : plan.beginsAt();
        if (begins != null) {
            boolean early = world.databaseNow().isBefore(world.databaseTime(begins));
            require(!early || world.scenario.on(Fault.DRIFT), "G12", () -> "it should begin at " + begins);
            world.tally.reach(Goal.BEGAN_LATER);
        }
    }

    /** A call follows the write that intends it. */
    private static void intended(InstanceRow row, StepShape step, Phase phase) {
        String status = switch (phase) {
            case COMPENSATION -> "COMPENSATING";
            case CONFIRM -> "CONFIRMING";
            default -> "EXECUTING";
        };
        boolean recorded = row.steps().contains("\"" + step.name() + "\":[\"" + status + "\"");
        require(recorded, "INTENT", () -> "it is not recorded that it is called: " + row.steps());
        SagaStatus wanted = phase == Phase.COMPENSATION ? SagaStatus.COMPENSATING : SagaStatus.RUNNING;
        boolean asksOnTheWayBack = phase == Phase.PROBE && row.status() == SagaStatus.COMPENSATING;
        require(row.status() == wanted || asksOnTheWayBack, "I11", () -> "the saga is " + row.status());
    }

    private static void results(
            Watched saga, SagaData<Integer> c, StepShape step, Phase phase, Optional<Integer> result) {
        for (StepShape earlier : saga.shape.steps()) {
            boolean there = earlier.result() && saga.model.facts(earlier).done;
            Optional<Integer> expected = there ? Optional.of(Calls.value(c, earlier)) : Optional.empty();
            Optional<Integer> found = Calls.resultOf(c, earlier);
            boolean sure = phase == Phase.COMPENSATION || saga.shape.comesAfter(step, earlier);
            require(
                    found.equals(expected) || (!sure && found.isEmpty()),
                    "RESULT",
                    () -> "the result of " + earlier.name() + " differs");
        }
        if ((phase == Phase.COMPENSATION || phase == Phase.CONFIRM) && step.result()) {
            Optional<Integer> own = saga.model.facts(step).done ? Optional.of(Calls.value(c, step)) : Optional.empty();
            require(result.equals(own), "RESULT", () -> "its own result is " + result + ", not " + own);
        }
    }
}
