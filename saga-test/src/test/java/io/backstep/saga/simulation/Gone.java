package io.backstep.saga.simulation;

/** The node that a thread worked for is dead: unwinds the thread, whatever it was in. */
final class Gone extends Error {
    private static final long serialVersionUID = 1L;

    Gone() {
        super("the node is dead", null, false, false);
    }
}
