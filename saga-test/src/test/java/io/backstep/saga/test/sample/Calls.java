package io.backstep.saga.test.sample;

import java.util.ArrayList;
import java.util.List;

/** Participants that only note what they are called for. */
class Calls implements OrderSaga.Participants {
    final List<String> all = new ArrayList<>();

    @Override
    public void create(String key) {
        all.add("create");
    }

    @Override
    public void reject(String key) {
        all.add("reject");
    }

    @Override
    public void reserve(String key, String sku) {
        all.add("reserve " + sku);
    }

    @Override
    public void release(String key) {
        all.add("release");
    }

    @Override
    public Payment charge(String key, int amount) {
        all.add("charge " + amount);
        return new Payment("p-1", amount);
    }

    @Override
    public void refund(String key) {
        all.add("refund");
    }

    @Override
    public void confirm(String key) {
        all.add("confirm");
    }

    @Override
    public void ship(String key) {
        all.add("ship");
    }

    @Override
    public void mail(String key) {
        all.add("mail");
    }
}
