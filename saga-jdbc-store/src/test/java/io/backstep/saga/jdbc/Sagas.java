package io.backstep.saga.jdbc;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.StoreCallback;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A migrated store with one definition, and what is written to it. */
final class Sagas {
    static final Lease LEASE = new Lease("node-a/1", Duration.ofMinutes(10));

    final JdbcSagaStore store;
    final RegisteredDefinition definition;

    Sagas(JdbcSagaStore store) {
        this.store = store;
        this.definition = store.register("order", 1, "fingerprint");
    }

    NewInstance saga(String key, Lease lease) {
        return new NewInstance(
                UUID.randomUUID(),
                definition,
                key,
                "0".repeat(64),
                SagaStatus.RUNNING,
                "{}",
                "{\"sku\":\"a\"}",
                1,
                null,
                lease);
    }

    List<NewInstance> sagas(int count, Lease lease) {
        return Stream.generate(() -> saga(null, lease)).limit(count).toList();
    }

    /** Starts sagas that this node owns, with epoch 1 and seq 0. */
    List<UUID> owned(int count) {
        List<NewInstance> batch = sagas(count, LEASE);
        insert(batch);
        return batch.stream().map(NewInstance::sagaId).toList();
    }

    List<InsertResult.Kind> insert(List<NewInstance> batch) {
        return Told.ok((StoreCallback<List<InsertResult>> told) -> store.insert(batch, told)).stream()
                .map(InsertResult::kind)
                .toList();
    }

    List<Acceptance.Kind> submit(List<Mutation> batch) {
        return Told.ok((StoreCallback<List<Acceptance>> told) -> store.submit(batch, told)).stream()
                .map(Acceptance::kind)
                .toList();
    }

    List<Claimed> claim(int limit) {
        return Told.ok(told -> store.claim(new ClaimRequest(LEASE, limit, List.of(definition.definitionId())), told));
    }

    static Mutation write(UUID id, long epoch, long seq, HistoryEntry... lines) {
        return new Mutation(
                new Fence(id, epoch, seq), SagaStatus.RUNNING, null, "{}", Hold.KEEP, List.of(lines), List.of());
    }

    static Mutation big(UUID id, int lines) {
        List<HistoryEntry> history = IntStream.range(0, lines)
                .mapToObj(number -> line("step-" + number, "1"))
                .toList();
        List<CompensationEntry> compensations = IntStream.range(0, lines)
                .mapToObj(number -> new CompensationEntry(
                        "step-" + number,
                        lines - number,
                        CompensationEntry.Status.PENDING,
                        0,
                        Duration.ofSeconds(1),
                        "1",
                        null,
                        null))
                .toList();
        return new Mutation(
                new Fence(id, 1, 0), SagaStatus.COMPENSATING, null, null, Hold.KEEP, history, compensations);
    }

    static HistoryEntry line(String step, String result) {
        return new HistoryEntry(
                step, Phase.ACTION, 1, Outcome.SUCCEEDED, null, result, null, null, Duration.ofMillis(3), "node-a");
    }
}
