package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.Notes;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Notes which sagas a node was given, and with which epoch, before the node knows it: nobody else may have had that epoch. */
final class TakenStore extends ForwardingStore {
    private final Notes taken;

    TakenStore(SagaStore store, Notes taken) {
        super(store);
        this.taken = taken;
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        super.claim(request, (claimed, failure) -> {
            if (claimed != null) {
                claimed.forEach(this::note);
            }
            callback.done(claimed, failure);
        });
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        super.claimOne(sagaId, lease, definitionIds, noting(callback));
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        super.recover(held, lease, noting(callback));
    }

    private StoreCallback<Optional<Claimed>> noting(StoreCallback<Optional<Claimed>> callback) {
        return (claimed, failure) -> {
            if (claimed != null) {
                claimed.ifPresent(this::note);
            }
            callback.done(claimed, failure);
        };
    }

    private void note(Claimed claimed) {
        try {
            taken.add(claimed.row().sagaId() + " " + claimed.row().epoch());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
