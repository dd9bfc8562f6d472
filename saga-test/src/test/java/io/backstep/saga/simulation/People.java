package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.SagaException;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.engine.CancelOutcome;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.store.SagaStoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Clients that start and cancel, and operators. */
final class People {
    /** A caller changes its mind. */
    private static final class RollBack extends Exception {
        private static final long serialVersionUID = 1L;

        private RollBack() {
            super("rolled back", null, false, false);
        }
    }

    private static final long SECOND = 1_000_000_000L;

    /** What can be asked for by somebody who has not looked. */
    private static final AdminAction[] BLIND = Stream.of(AdminAction.values())
            .filter(action -> action != AdminAction.RESOLVE)
            .toArray(AdminAction[]::new);

    private final World world;
    private final Map<Integer, Set<UUID>> started = new HashMap<>();
    private final Set<UUID> acknowledged = new LinkedHashSet<>();
    private final Set<UUID> mayNotExist = new HashSet<>();
    private final Set<Integer> notStarted = new HashSet<>();
    private final Map<SimNode, Integer> starting = new HashMap<>();
    private final Senders senders;
    private int underWay;

    People(World world) {
        this.world = world;
        this.senders = new Senders(world, index -> started.getOrDefault(index, Set.of()));
    }

    void begin() {
        for (SagaPlan plan : world.scenario.sagas) {
            Dice own = world.scenario.dice(51, plan.index());
            for (int i = 0; i < plan.starts(); i++) {
                long at = plan.at() + (i == 0 ? 0 : own.magnitude(1000, 2 * world.scenario.lease));
                underWay++;
                world.loop.at(at, () -> start(plan, own, 0));
            }
            Long cancelAt = plan.cancelAt();
            if (cancelAt != null) {
                world.loop.at(cancelAt, () -> cancel(plan, own));
            }
            senders.begin(plan);
        }
        operators();
    }

    boolean settled() {
        return underWay == 0;
    }

    private void start(SagaPlan plan, Dice own, int tries) {
        Optional<SimNode> node = world.trouble.serving(plan.crowded() ? world.scenario.dice(53) : own);
        if (node.isEmpty() || world.database.away()) {
            world.loop.after(SECOND, () -> start(plan, own, tries));
            return;
        }
        boolean[] over = {false};
        long patience = 120 * SECOND;
        world.loop.after(patience, () -> finish(over));
        node.get().deliver(() -> {
            try {
                started(plan, ask(node.get(), plan));
                finish(over);
            } catch (RollBack e) {
                world.tally.reach(Goal.CALLER_ROLLED_BACK);
                finish(over);
            } catch (Gone e) {
                finish(over);
                throw e;
            } catch (Exception e) {
                world.trace.line(() -> "start of saga " + plan.index() + " failed: " + e);
                refused(node.get(), plan, e);
                finish(over);
                if (plan.key() != null && tries < 3) {
                    underWay++;
                    world.loop.after(SECOND, () -> start(plan, own, tries + 1));
                }
            }
        });
    }

    private void finish(boolean[] over) {
        if (!over[0]) {
            over[0] = true;
            underWay--;
        }
    }

    private UUID ask(SimNode node, SagaPlan plan) throws Exception {
        StartOptions plain = plan.key() == null ? StartOptions.none() : StartOptions.businessKey(plan.key());
        StartOptions options = plan.beginsAt() == null ? plain : plain.startAt(world.databaseTime(plan.beginsAt()));
        if (!plan.joined()) {
            starting.merge(node, 1, Integer::sum);
            try {
                return node.engine
                        .client()
                        .start(Shapes.type(plan.type()), plan.index(), options)
                        .sagaId();
            } finally {
                starting.merge(node, -1, Integer::sum);
            }
        }
        Set<UUID> inside = new HashSet<>();
        try {
            return node.transactions.inTransaction(() -> {
                SagaInstance saga = node.engine.client().start(Shapes.type(plan.type()), plan.index(), options);
                if (world.checker.watched(saga.sagaId()) == null) {
                    inside.add(saga.sagaId());
                }
                if (plan.rolledBack()) {
                    world.tally.fault(Fault.CALLER_ROLLS_BACK);
                    throw new RollBack();
                }
                return saga.sagaId();
            });
        } catch (RollBack e) {
            mayNotExist.addAll(inside);
            throw e;
        }
    }

    /** Who is told that there is no room, or that nothing was started, is told the truth. */
    private void refused(SimNode node, SagaPlan plan, Exception failure) {
        boolean full = failure instanceof SagaException known && known.code().equals("SAGA-START-014");
        boolean none = failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.NONE;
        if (full) {
            world.tally.reach(Goal.START_WITHOUT_ROOM_REFUSED);
            int most = world.scenario.tuning(node.index).maxInFlight();
            int underWayThere = node.engine.status().held() + starting.getOrDefault(node, 0);
            world.guarded(
                    () -> "saga " + plan.index(),
                    () -> require(
                            underWayThere >= most,
                            "ROOM",
                            () -> node + " has no room for it, and has " + underWayThere + " of " + most
                                    + " under way"));
        }
        if ((full || none) && plan.key() == null && !plan.joined()) {
            notStarted.add(plan.index());
        }
    }

    private void started(SagaPlan plan, UUID sagaId) {
        world.trace.line(() -> "saga " + plan.index() + " is " + sagaId);
        acknowledged.add(sagaId);
        Set<UUID> ids = started.computeIfAbsent(plan.index(), unused -> new LinkedHashSet<>());
        world.tally.reachIf(!ids.add(sagaId), Goal.SAME_KEY_SAME_SAGA);
        world.guarded(() -> "saga " + sagaId, () -> {
            boolean there = world.checker.watched(sagaId) != null || world.purged.contains(sagaId);
            require(there, "G1", () -> "its start was acknowledged, and it is not there");
            boolean twice = plan.key() != null
                    && ids.stream().filter(id -> !world.purged.contains(id)).count() > 1;
            require(!twice, "G2", () -> "its key has two sagas: " + ids);
        });
    }

    private void cancel(SagaPlan plan, Dice own) {
        Set<UUID> ids = started.getOrDefault(plan.index(), Set.of());
        Optional<SimNode> node = world.trouble.serving(own);
        if (ids.isEmpty() || node.isEmpty()) {
            return;
        }
        UUID sagaId = ids.iterator().next();
        node.get().deliver(() -> {
            try {
                world.tally.fault(Fault.CANCELS);
                CancelOutcome outcome = node.get().engine.client().cancel(sagaId, "changed my mind");
                world.trace.line(() -> "cancel of " + sagaId + ": " + outcome);
            } catch (SagaException e) {
                world.trace.line(() -> "cancel of " + sagaId + " failed: " + e);
            }
        });
    }

    private void operators() {
        int times = (int) Math.round(world.scenario.intensity(Fault.OPERATORS));
        for (int i = 0; i < times; i++) {
            Dice own = world.scenario.dice(52, i);
            world.loop.at(own.between(1, world.scenario.faultsEnd - 1), () -> operate(own));
        }
    }

    private void operate(Dice own) {
        List<UUID> ids = new ArrayList<>(world.checker.sagas().keySet());
        if (ids.isEmpty()) {
            return;
        }
        UUID sagaId = ids.get(own.below(ids.size()));
        AdminAction action = own.one(BLIND);
        boolean force = own.chance(world.scenario.intensity(Fault.FORCE));
        AdminRequest request = AdminRequest.by("somebody", "because");
        AdminRequest keyed = own.chance(0.5) ? request.withKey("request-" + own.bits()) : request;
        AdminRequest last = force ? keyed.forced() : keyed;
        int clicks = own.chance(0.3) ? 2 : 1;
        for (int i = 0; i < clicks; i++) {
            Optional<SimNode> node = world.trouble.serving(own);
            node.ifPresent(one -> world.loop.after(
                    own.magnitude(1, world.scenario.lease), () -> one.deliver(() -> act(one, action, sagaId, last))));
        }
        world.tally.reachIf(clicks == 2, Goal.OPERATOR_CLICKED_TWICE);
    }

    private void act(SimNode node, AdminAction action, UUID sagaId, AdminRequest request) {
        if (!node.serves()) {
            return;
        }
        world.tally.fault(request.force() ? Fault.FORCE : Fault.OPERATORS);
        try {
            String answer = node.admin.act(action, sagaId, request).toString();
            world.trace.line(() -> "operator: " + answer);
        } catch (SagaAdminException e) {
            world.tally.reachIf(e.code().equals("SAGA-ADMIN-003"), Goal.OPERATOR_TOLD_THAT_IT_IS_HELD);
            world.trace.line(() -> "operator: " + e.getMessage());
        } catch (SagaException e) {
            world.trace.line(() -> "operator: " + e);
        }
    }

    void check() {
        starting.forEach((node, waiting) ->
                require(waiting == 0 || !node.alive(), "E1", () -> waiting + " starts on " + node + " wait for ever"));
        for (UUID sagaId : acknowledged) {
            boolean there = world.checker.watched(sagaId) != null || world.purged.contains(sagaId);
            require(there, "G1", () -> "saga " + sagaId + " was acknowledged, and it is not there");
        }
        Set<String> inputs = new HashSet<>();
        world.checker.sagas().values().forEach(saga -> inputs.add(saga.row.input()));
        for (Integer index : notStarted) {
            require(
                    !inputs.contains(index.toString()),
                    "G1",
                    () -> "saga " + index + " exists, although its caller was told that nothing was started");
        }
        for (UUID sagaId : mayNotExist) {
            boolean acknowledgedElsewhere = acknowledged.contains(sagaId);
            require(
                    acknowledgedElsewhere || world.checker.watched(sagaId) == null,
                    "G1",
                    () -> "saga " + sagaId + " exists, although the transaction of its start was rolled back");
        }
    }
}
