package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Written;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** What the cases of the store's contract share: short ways to make rows and to call the store. */
abstract class StoreCases {
    static final String HASH = "0123456789abcdef".repeat(4);
    static final String STEPS = "{\"b\": 1,  \"a\": []}";
    static final Duration LONG = Duration.ofHours(1);
    static final Lease LEASE_A = new Lease("node-a/1", LONG);
    static final Lease LEASE_B = new Lease("node-b/1", LONG);

    final SagaStoreContract contract;
    RegisteredDefinition definition;

    @SuppressWarnings("NullAway.Init") // the definition is registered before each case
    StoreCases(SagaStoreContract contract) {
        this.contract = contract;
    }

    @BeforeEach
    void registerDefinition() {
        definition = register(newName(), 1);
    }

    final SagaStore store() {
        return contract.store();
    }

    static String newName() {
        return "type-" + UUID.randomUUID();
    }

    final RegisteredDefinition register(String name, int version) {
        return store().register(name, version, "fingerprint");
    }

    // --- sagas to insert

    final NewInstance unowned() {
        return saga(UUID.randomUUID(), definition, null, SagaStatus.RUNNING, null);
    }

    final NewInstance unowned(RegisteredDefinition of) {
        return saga(UUID.randomUUID(), of, null, SagaStatus.RUNNING, null);
    }

    final NewInstance keyed(String businessKey) {
        return keyed(definition, businessKey);
    }

    static NewInstance keyed(RegisteredDefinition of, String businessKey) {
        return saga(UUID.randomUUID(), of, businessKey, SagaStatus.RUNNING, null);
    }

    final NewInstance owned(Lease lease) {
        return saga(UUID.randomUUID(), definition, null, SagaStatus.RUNNING, lease);
    }

    static NewInstance saga(
            UUID id, RegisteredDefinition of, @Nullable String key, SagaStatus status, @Nullable Lease lease) {
        return new NewInstance(id, of, key, HASH, status, STEPS, "{\"in\":1}", 1, null, lease);
    }

    /** A saga that node A owns, with epoch 1 and seq 0. */
    final UUID startedByA() {
        NewInstance saga = owned(LEASE_A);
        assertThat(insert(saga).kind()).isEqualTo(InsertResult.Kind.INSERTED);
        return saga.sagaId();
    }

    /** A saga that is nobody's and due. */
    final UUID due() {
        return due(definition);
    }

    final UUID due(RegisteredDefinition of) {
        NewInstance saga = unowned(of);
        assertThat(insert(saga).kind()).isEqualTo(InsertResult.Kind.INSERTED);
        return saga.sagaId();
    }

    // --- writes

    static Mutation write(UUID sagaId, long epoch, long seq) {
        return write(sagaId, epoch, seq, SagaStatus.RUNNING, Hold.KEEP);
    }

    static Mutation write(UUID sagaId, long epoch, long seq, SagaStatus status, Hold hold) {
        return write(new Fence(sagaId, epoch, seq), status, hold, List.of(), List.of());
    }

    static Mutation write(UUID sagaId, long epoch, long seq, HistoryEntry... history) {
        return write(new Fence(sagaId, epoch, seq), SagaStatus.RUNNING, Hold.KEEP, List.of(history), List.of());
    }

    static Mutation write(UUID sagaId, long epoch, long seq, CompensationEntry... compensations) {
        return write(
                new Fence(sagaId, epoch, seq), SagaStatus.COMPENSATING, Hold.KEEP, List.of(), List.of(compensations));
    }

    static Mutation write(
            Fence fence,
            SagaStatus status,
            Hold hold,
            List<HistoryEntry> history,
            List<CompensationEntry> compensations) {
        SagaReason reason = switch (status) {
            case COMPENSATING, COMPENSATED -> SagaReason.REJECTED;
            case FAILED -> SagaReason.PIVOT_UNKNOWN;
            default -> null;
        };
        return new Mutation(fence, status, reason, "{\"written\":" + fence.seq() + "}", hold, history, compensations);
    }

    /** No database takes it: what runs has a due time. Only the database can tell, so only it can refuse. */
    static Mutation unfit(UUID id) {
        return write(
                new Fence(id, 1, 0),
                SagaStatus.RUNNING,
                Hold.END,
                List.of(succeeded("a", "none")),
                List.of(compensation("a", 1)));
    }

    static HistoryEntry succeeded(String step, @Nullable String result) {
        return line(step, Phase.ACTION, Outcome.SUCCEEDED, result, null);
    }

    static HistoryEntry line(
            String step, Phase phase, Outcome outcome, @Nullable String result, @Nullable String errorText) {
        return new HistoryEntry(
                step, phase, 1, outcome, null, result, null, errorText, Duration.ofMillis(250), "node-a");
    }

    static CompensationEntry compensation(String step, int position) {
        return new CompensationEntry(
                step, position, CompensationEntry.Status.PENDING, 0, null, "{\"handed\":1}", null, null);
    }

    // --- calls

    /** Tries again while somebody else's open transaction has the key. */
    final InsertResult insert(NewInstance instance) {
        return Waiting.until(
                () -> insertAll(List.of(instance)).get(0), result -> result.kind() != InsertResult.Kind.LOCKED);
    }

    final List<InsertResult> insertAll(List<NewInstance> batch) {
        return answer(callback -> store().insert(batch, callback));
    }

    final Acceptance submit(Mutation mutation) {
        return submitAll(mutation).get(0);
    }

    /** Tries again while somebody else has the row locked. */
    final Acceptance.Kind submitPersistently(Mutation mutation) {
        return Waiting.until(() -> submit(mutation).kind(), kind -> kind != Acceptance.Kind.LOCKED);
    }

    final List<Acceptance> submitAll(Mutation... batch) {
        return answer(callback -> store().submit(List.of(batch), callback));
    }

    final Written write(List<Mutation> mutations, List<NewInstance> starts) {
        return answer(callback -> store().write(mutations, starts, callback));
    }

    final List<Acceptance.Kind> kindsOf(Mutation... batch) {
        return submitAll(batch).stream().map(Acceptance::kind).toList();
    }

    final List<Claimed> claim(int limit) {
        return claim(LEASE_B, limit, definition);
    }

    final List<Claimed> claim(Lease lease, int limit, RegisteredDefinition... of) {
        List<Integer> ids =
                List.of(of).stream().map(RegisteredDefinition::definitionId).toList();
        return answer(callback -> store().claim(new ClaimRequest(lease, limit, ids), callback));
    }

    final Optional<Claimed> claimOne(UUID sagaId) {
        return claimOne(sagaId, definition);
    }

    final Optional<Claimed> claimOne(UUID sagaId, RegisteredDefinition known) {
        return answer(callback -> store().claimOne(sagaId, LEASE_B, List.of(known.definitionId()), callback));
    }

    final Optional<Claimed> recover(UUID sagaId, long epoch) {
        return answer(callback -> store().recover(new Held(sagaId, epoch), LEASE_A, callback));
    }

    final Set<UUID> renew(Lease lease, Held... held) {
        return answer(callback -> store().renew(List.of(held), lease, callback));
    }

    final <T> T inTransaction(Callable<T> work) {
        try {
            return contract.transactions().inTransaction(work);
        } catch (Exception e) {
            throw new AssertionError("the transaction failed", e);
        }
    }

    final InstanceRow row(UUID sagaId) {
        return store().find(sagaId).orElseThrow();
    }

    final Instant dueAt(UUID sagaId) {
        return Objects.requireNonNull(row(sagaId).dueAt());
    }

    static List<UUID> idsOf(List<Claimed> claimed) {
        return claimed.stream().map(one -> one.row().sagaId()).toList();
    }

    /** Calls the store, and waits for the one answer. */
    static <T> T answer(Consumer<StoreCallback<T>> call) {
        return Answer.of(call).orThrow();
    }
}
