package io.backstep.saga.engine;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaMigrationException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves sagas that nobody works on to a later version: those that this node takes, and those that operators name. */
final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    private static final String FAULT = "SAGA-DEF-011";

    private final Node node;
    private final Transactions transactions;
    private final Map<String, SagaMigration> byVersion = new ConcurrentHashMap<>();

    Migrations(Node node, Transactions transactions) {
        this.node = node;
        this.transactions = transactions;
    }

    void add(SagaMigration migration) {
        SagaMigration other = byVersion.putIfAbsent(migration.from().toString(), migration);
        if (other != null) {
            throw new SagaDefinitionException(
                    FAULT, "two migrations are from " + migration.from() + ": " + other + ", and " + migration);
        }
    }

    /** Before the start: an instance that cannot be moved goes on by its own version, so that is needed too. */
    void check() {
        for (SagaMigration migration : byVersion.values()) {
            List.of(migration.from(), migration.to()).forEach(definition -> {
                if (!node.registry.has(definition)) {
                    throw new SagaDefinitionException(
                            FAULT,
                            "the migration of " + migration + " needs " + definition + ", which is not registered");
                }
            });
        }
    }

    private @Nullable SagaMigration from(Registered registered) {
        return byVersion.get(registered.definition().toString());
    }

    /** What has become of a saga that was taken. */
    enum Result {
        /** It stays as it is. */
        STAYS,
        /** It has another version by now, and was given back due at once; or somebody else has written to it meanwhile. */
        NOT_OURS,
        /** Nobody knows: nothing may be called before that is settled, as a key may have changed. */
        IN_DOUBT
    }

    Result migrated(Claimed claimed) {
        InstanceRow row = claimed.row();
        Registered registered = node.registry.byId(row.definitionId());
        SagaMigration migration = registered == null ? null : from(registered);
        if (registered == null || migration == null) {
            return Result.STAYS;
        }
        OperatorWrite write;
        try {
            SagaState state = node.codec.read(
                    registered.definition(), row.status(), row.reason(), claimed.deadline(), row.steps());
            write = write(
                    registered, migration, row, state, claimed.takenOver(), claimed.age(), claimed.results(), true);
        } catch (SagaMigrationException | SagaSerializationException e) {
            log.debug("saga {} stays {} v{}: {}", row.sagaId(), row.name(), row.version(), e.getMessage());
            return Result.STAYS;
        } catch (RuntimeException e) {
            log.warn("saga {} stays {} v{} for now", row.sagaId(), row.name(), row.version(), e);
            return Result.STAYS;
        }
        try {
            transactions.inTransaction(() -> node.store.operate(write));
            return Result.NOT_OURS;
        } catch (Exception e) {
            log.warn("saga {} stays {} v{} for now", row.sagaId(), row.name(), row.version(), e);
            boolean nothing =
                    e instanceof SagaStoreException failure && failure.effect() == SagaStoreException.Effect.NONE;
            return nothing ? Result.STAYS : Result.IN_DOUBT;
        }
    }

    /** For an operator. */
    OperatorWrite of(Inspected seen) {
        InstanceRow row = seen.row();
        Registered registered = node.registry.byId(row.definitionId());
        SagaMigration migration = registered == null ? null : from(registered);
        if (registered == null || migration == null || seen.unknownStatus() != null) {
            throw new SagaMigrationException(
                    "SAGA-MIG-001", "this node has no migration of " + row.name() + " v" + row.version());
        }
        if (row.status().ended() || seen.held()) {
            throw new SagaMigrationException(
                    "SAGA-MIG-002", row.status().ended() ? "it has ended" : "node " + row.owner() + " works on it");
        }
        Duration deadline = row.deadline() == null ? null : Duration.between(row.createdAt(), row.deadline());
        SagaState state = node.codec.read(registered.definition(), row.status(), row.reason(), deadline, row.steps());
        return write(
                registered,
                migration,
                row,
                state,
                row.owner() != null,
                seen.age(),
                node.views.results(row.sagaId()),
                false);
    }

    private OperatorWrite write(
            Registered from,
            SagaMigration migration,
            InstanceRow row,
            SagaState stored,
            boolean takenOver,
            Duration age,
            Map<String, String> results,
            boolean held) {
        Registered to = node.registry.of(migration.to());
        if (to == null) {
            throw new SagaMigrationException("SAGA-MIG-001", "this node does not run " + migration.to());
        }
        Fence fence = new Fence(row.sagaId(), row.epoch(), row.seq());
        Map<String, String> keys = node.codec.keys(row.steps());
        Prepared handedOver = stored.status() == SagaStatus.FAILED
                ? null
                : node.recorder(from, row.parent(), keys)
                        .prepare(
                                fence,
                                stored,
                                List.of(new Input(new SagaEvent.Claimed(age, takenOver))),
                                true,
                                results,
                                age,
                                (after, calls) -> Hold.release(Duration.ZERO));
        SagaState state = handedOver == null ? stored : handedOver.after();
        if (state.status() != stored.status()) {
            throw new SagaMigrationException("SAGA-MIG-003", "it turns or is parked first: " + state.reason());
        }
        Moved moved = new Move(node, migration, to, row, keys).of(state, results);
        List<HistoryEntry> history = moved.history(handedOver, node.tuning.nodeId());
        Mutation mutation = new Mutation(
                fence,
                moved.state().status(),
                moved.state().reason(),
                node.codec.write(to.definition(), moved.state(), moved.keys()),
                moved.state().status().active() ? Hold.release(Duration.ZERO) : Hold.END,
                history,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                handedOver == null || handedOver.mutation() == null
                        ? List.of()
                        : handedOver.mutation().posts());
        return new OperatorWrite(mutation, held, false, moved.version());
    }
}
