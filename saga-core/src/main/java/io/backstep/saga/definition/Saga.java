package io.backstep.saga.definition;

/** The entrance to the DSL. */
public final class Saga {
    private Saga() {}
}
