package io.backstep.saga.test.sample;

record PlaceOrder(String sku, int amount) {}
