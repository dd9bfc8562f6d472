package io.backstep.saga.engine;

/** Runs sagas. */
public final class SagaEngine {
    private SagaEngine() {}
}
