package io.backstep.saga.simulation;

/** A promise that was not kept. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final String invariant;

    Violation(String invariant, String what) {
        super(invariant + ": " + what);
        this.invariant = invariant;
    }
}
