package io.backstep.saga.spring;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import java.util.List;

/**
 * The store of the engine. It claims nothing until the application is ready; what is started here meanwhile runs: who starts it may wait for
 * it. And no engine starts with it once the application is closed.
 */
final class ClaimGate extends ForwardingStore {
    private final ReadyGate gate;
    private final FirstContact contact;

    ClaimGate(SagaStore store, ReadyGate gate, FirstContact contact) {
        super(store);
        this.gate = gate;
        this.contact = contact;
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        RegisteredDefinition known = super.register(name, version, fingerprint);
        contact.refuseWhenStopped();
        return known;
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
