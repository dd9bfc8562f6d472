package io.backstep.saga.test.sample;

import io.backstep.saga.test.Effects;
import java.util.HashSet;
import java.util.Set;

/** Participants as they should be: each does nothing when it is asked again with a key that it knows, or that was taken back. */
class KeyedParticipants implements OrderSaga.Participants {
    final Effects effects;
    final Set<String> done = new HashSet<>();
    final Set<String> takenBack = new HashSet<>();

    KeyedParticipants(Effects effects) {
        this.effects = effects;
    }

    void once(String key) {
        if (!takenBack.contains(key) && done.add(key)) {
            effects.applied(key);
        }
    }

    /** Also when the action never arrived: then it must not be done later. */
    void takeBack(String key) {
        if (takenBack.add(key) && done.contains(key)) {
            effects.undone(key);
        }
    }

    @Override
    public void create(String key) {
        effects.applied(key); // in the saga's transaction: exactly once
    }

    @Override
    public void reject(String key) {
        effects.undone(key);
    }

    @Override
    public void reserve(String key, String sku) {
        once(key);
    }

    @Override
    public void release(String key) {
        takeBack(key);
    }

    @Override
    public Payment charge(String key, int amount) {
        once(key);
        return new Payment("p-" + key, amount);
    }

    @Override
    public void refund(String key) {
        takeBack(key);
    }

    @Override
    public void confirm(String key) {
        effects.applied(key);
    }

    @Override
    public void ship(String key) {
        once(key);
    }

    @Override
    public void mail(String key) {
        once(key);
    }
}
