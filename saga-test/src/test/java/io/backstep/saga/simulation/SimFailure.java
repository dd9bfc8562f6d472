package io.backstep.saga.simulation;

import io.backstep.saga.store.SagaStoreException;
import org.jspecify.annotations.Nullable;

/** What a simulated store throws; without a stack, which nobody reads. */
final class SimFailure extends SagaStoreException {
    private static final long serialVersionUID = 1L;

    /** What the in-memory store's own deadlocks are called. */
    private static final String DEADLOCK = "SAGA-DB-902";

    private SimFailure(String code, Effect effect, String message) {
        super(code, message, effect, null);
    }

    static SimFailure refused() {
        return new SimFailure("SAGA-DB-001", Effect.NONE, "simulated: refused");
    }

    static SimFailure inDoubt() {
        return new SimFailure("SAGA-DB-001", Effect.UNKNOWN, "simulated: nobody knows");
    }

    static boolean isInDoubt(@Nullable Throwable failure) {
        return failure instanceof SagaStoreException store && store.effect() == Effect.UNKNOWN;
    }

    static SimFailure deadlock() {
        return new SimFailure(DEADLOCK, Effect.NONE, "simulated: deadlock or serialization failure");
    }

    static SimFailure locked() {
        return new SimFailure("SAGA-DB-012", Effect.NONE, "simulated: somebody has it locked");
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
