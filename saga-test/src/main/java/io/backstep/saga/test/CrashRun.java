package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.time.SystemPorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One saga on one thread, on virtual time: a first node that is interrupted, and those that take over. The store may be a real one, with
 * a clock of its own: nobody waits for a lease, it is shortened when its node is gone.
 */
final class CrashRun {
    /** Long enough that retries are held, and never wait for the clock of a real database. */
    private static final Duration LEASE = Duration.ofHours(1);

    private static final Duration POLL = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofHours(6);
    private static final Duration AFTERWARDS = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final UUID sagaId = SystemPorts.ids().next();
    private final Set<UUID> started = new LinkedHashSet<>();
    private final SagaDefinition<?> definition;
    private final List<SagaDefinition<?>> children;
    private final List<Moment> moments;
    private final SagaStore store;
    private final Transactions transactions;
    private final Effects effects;
    private final StepScript faults;
    private KitNode node;
    private int nodes;

    /**
     * Prepares a run.
     *
     * @param definition what all nodes know
     * @param children what they know besides, as its steps start it
     * @param moments when somebody does something
     * @param store a real store, or null for one in memory
     * @param transactions of the store, or null
     * @param effects what participants do
     * @param faults what goes wrong besides
     * @param point where the first node is interrupted
     */
    CrashRun(
            SagaDefinition<?> definition,
            List<SagaDefinition<?>> children,
            List<Moment> moments,
            @Nullable SagaStore store,
            @Nullable Transactions transactions,
            Effects effects,
            StepScript faults,
            CrashPoint point) {
        InMemorySagaStore memory = new InMemorySagaStore(time::now);
        this.definition = definition;
        this.children = children;
        this.moments = moments;
        this.store = store == null ? memory : store;
        this.transactions = transactions == null ? memory.transactions() : transactions;
        this.effects = effects;
        this.faults = faults.fresh();
        this.node = node(point);
    }

    /** Plays it to the end, and a little longer. */
    <I> SagaRun play(SagaType<I> type, I input) {
        startOn(node, type, input);
        if (!node.alive()) {
            takeOver();
            startOn(node, type, input); // whoever has had no answer asks again
        }
        moments.forEach(moment -> time.timer().after(moment.time(), () -> come(moment)));
        toTheEnd();
        time.run(AFTERWARDS);
        return SagaRun.of(node.client(), SagaAdmin.of(node.engine()), sagaId);
    }

    UUID sagaId() {
        return sagaId;
    }

    private <I> void startOn(KitNode first, SagaType<I> type, I input) {
        try {
            first.client().start(type, input, StartOptions.none().sagaId(sagaId));
        } catch (KitNode.Died e) {
            first.kill();
        }
    }

    /** Whoever has had no answer asks again. */
    private void come(Moment moment) {
        if (!node.alive()) {
            takeOver();
        }
        KitNode asked = node;
        try {
            moment.what().accept(asked.client(), sagaId);
        } catch (KitNode.Died e) {
            asked.kill();
            takeOver();
            moment.what().accept(node.client(), sagaId);
        }
    }

    /** How the sagas of a type have ended that it started. */
    Map<UUID, SagaStatus> ends(SagaDefinition<?> child) {
        Map<UUID, SagaStatus> ends = new LinkedHashMap<>();
        for (UUID id : started) {
            store.find(id).filter(row -> row.name().equals(child.name())).ifPresent(row -> ends.put(id, row.status()));
        }
        return ends;
    }

    private void toTheEnd() {
        time.runUntil(
                () -> {
                    if (!node.alive()) {
                        takeOver();
                    }
                    return settled();
                },
                PATIENCE);
    }

    private boolean settled() {
        SagaStatus status = store.find(sagaId).orElseThrow().status();
        return status.ended() || status == SagaStatus.FAILED;
    }

    private void takeOver() {
        started.forEach(this::endLease);
        node = node(CrashPoint.none());
    }

    /** As if its time had passed. */
    private void endLease(UUID id) {
        store.find(id).ifPresent(row -> {
            if (row.owner() != null && row.status().active()) {
                Lease over = new Lease(row.owner(), Duration.ofMillis(1));
                store.renew(List.of(new Held(id, row.epoch())), over, (renewed, failure) -> {
                    if (renewed == null) {
                        throw new IllegalStateException("the lease of a dead node cannot be ended", failure);
                    }
                });
            }
        });
    }

    private KitNode node(CrashPoint where) {
        return new Interrupted(where).node;
    }

    /** A node, and what befalls it. */
    private final class Interrupted implements CrashStore.Victim {
        private final KitNode node;

        private Interrupted(CrashPoint where) {
            Tuning tuning = Tuning.defaults().withNodeId("node-" + ++nodes).withLease(LEASE, POLL);
            CrashStore own = new CrashStore(store, where, this, effects, started);
            this.node = new KitNode(time, own, transactions, tuning);
            AroundCode around = (call, code) -> {
                if (!alive()) {
                    throw dies();
                }
                if (!call.transactional() && where.stopsBefore(call.name())) {
                    isOvertaken();
                }
                effects.enter(call);
                try {
                    return faults.next(call.step().name(), call.phase()).run(call, code, node, time);
                } finally {
                    effects.leave();
                }
            };
            AroundCode aroundChildren = (call, code) -> {
                if (!alive()) {
                    throw dies();
                }
                effects.enter(call);
                try {
                    return code.call();
                } finally {
                    effects.leave();
                }
            };
            List<SagaDefinition<?>> all = new ArrayList<>(List.of(around.in(definition)));
            children.forEach(child -> all.add(aroundChildren.in(child)));
            node.start(all);
        }

        @Override
        public boolean alive() {
            return node.alive();
        }

        @Override
        public KitNode.Died dies() {
            return node.died();
        }

        @Override
        public void isOvertaken() {
            node.pause();
            takeOver();
            toTheEnd();
            node.resume(LEASE.plusSeconds(1));
        }
    }
}
