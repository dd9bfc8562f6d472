package io.backstep.saga.test;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.Written;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The store as one node sees it, whose writes may be interrupted. A node that is dead sends nothing, and hears nothing. Writes that join
 * a transaction of the caller's die with that.
 */
final class CrashStore extends ForwardingStore {
    /** What may befall the node. */
    interface Victim {
        boolean alive();

        /** It dies; to throw where the calling code must not go on. */
        KitNode.Died dies();

        /** It stops until another node has ended the saga. */
        void isOvertaken();
    }

    private final CrashPoint point;
    private final Victim victim;
    private final Effects effects;
    private final Set<UUID> started;

    /**
     * Made for a node.
     *
     * @param store the real one
     * @param point what is interrupted
     * @param victim the node
     * @param effects told about transactions
     * @param started collects the ids of sagas
     */
    CrashStore(SagaStore store, CrashPoint point, Victim victim, Effects effects, Set<UUID> started) {
        super(store);
        this.point = point;
        this.victim = victim;
        this.effects = effects;
        this.started = started;
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        write(place(List.of(), batch), callback, next -> super.insert(batch, next));
    }

    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        write(place(mutations, starts), callback, next -> super.write(mutations, starts, next));
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        started.add(instance.sagaId());
        return super.insertJoined(instance);
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        write(place(batch, List.of()), callback, next -> super.submit(batch, next));
    }

    private CrashPoint.Place place(List<Mutation> mutations, List<NewInstance> starts) {
        Stream.concat(starts.stream(), mutations.stream().flatMap(mutation -> mutation.children().stream()))
                .forEach(instance -> started.add(instance.sagaId()));
        String what = Stream.concat(
                        mutations.stream().map(CrashStore::told),
                        starts.stream().map(row -> "the start"))
                .collect(Collectors.joining(", "));
        return new CrashPoint.Place(what, mutations.isEmpty(), false);
    }

    private static String told(Mutation mutation) {
        String lines = mutation.history().stream()
                .map(entry -> (entry.step() + " " + entry.outcome()).strip())
                .collect(Collectors.joining(", "));
        return lines.isEmpty() ? "what comes next" : lines;
    }

    private <T> void write(CrashPoint.Place place, StoreCallback<T> callback, Consumer<StoreCallback<T>> call) {
        if (!victim.alive()) {
            return;
        }
        Interruption now = point.write(place);
        if (!arrives(now)) {
            return;
        }
        call.accept((answer, failure) -> answered(now, callback, answer, failure));
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        if (!victim.alive()) {
            return;
        }
        Interruption now = point.write(new CrashPoint.Place("a transactional step", false, true));
        if (!arrives(now)) {
            return;
        }
        effects.begin();
        super.inTransaction(
                () -> {
                    Mutation record = work.run();
                    if (now == Interruption.DIES_IN_TRANSACTION) {
                        throw victim.dies();
                    }
                    return record;
                },
                (answer, failure) -> {
                    effects.end(Acceptance.ACCEPTED.equals(answer));
                    answered(now, callback, answer, failure);
                });
    }

    /** Whether a write reaches the store. */
    private boolean arrives(@Nullable Interruption now) {
        if (now == Interruption.DIES_BEFORE_WRITE) {
            victim.dies();
            return false;
        }
        if (now == Interruption.STOPS_BEFORE_WRITE) {
            victim.isOvertaken();
        }
        return true;
    }

    private <T> void answered(
            @Nullable Interruption now, StoreCallback<T> callback, @Nullable T answer, @Nullable Throwable failure) {
        if (now == Interruption.DIES_AFTER_WRITE) {
            victim.dies();
        }
        ifAlive(callback).done(answer, failure);
    }

    private <T> StoreCallback<T> ifAlive(StoreCallback<T> callback) {
        return (answer, failure) -> {
            if (victim.alive()) {
                callback.done(answer, failure);
            }
        };
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        if (victim.alive()) {
            super.look(owner, definitionIds, ifAlive(callback));
        }
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        if (victim.alive()) {
            super.claim(request, ifAlive(callback));
        }
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        if (victim.alive()) {
            super.claimOne(sagaId, lease, definitionIds, ifAlive(callback));
        }
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        if (victim.alive()) {
            super.recover(held, lease, ifAlive(callback));
        }
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        if (victim.alive()) {
            super.renew(held, lease, ifAlive(callback));
        }
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        if (victim.alive()) {
            super.sweepMail(owner, definitionIds, ifAlive(callback));
        }
    }

    /** Never hints: a hint comes on a thread of its own. */
    @Override
    public Listening listen(Runnable hint) {
        return () -> {};
    }
}
