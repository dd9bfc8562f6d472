package io.backstep.saga.test.sample;

record Payment(String reference, int amount) {}
