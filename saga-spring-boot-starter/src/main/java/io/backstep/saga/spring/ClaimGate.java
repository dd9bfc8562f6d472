package io.backstep.saga.spring;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.util.List;

/**
 * The store of the engine. It claims nothing until the application is ready; what is started here meanwhile runs: who starts it may wait for
 * it.
 */
final class ClaimGate extends ForwardingStore {
    private final ReadyGate gate;

    ClaimGate(SagaStore store, ReadyGate gate) {
        super(store);
        this.gate = gate;
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        if (gate.isOpen()) {
            super.claim(request, callback);
        } else {
            callback.done(List.of(), null);
        }
    }
}
