package io.backstep.saga.admin;

import io.backstep.saga.SagaException;
import java.util.List;
import java.util.UUID;

/** An operator's action that was refused. Nothing was done, and nothing is in the audit. */
public final class SagaAdminException extends SagaException {
    private static final long serialVersionUID = 1L;

    /** Why an action may be refused. */
    public enum Kind {
        /** There is no such saga. */
        UNKNOWN,
        /** The saga is not in a state that allows it. */
        NOT_ALLOWED,
        /** The saga is not any more what the actor has seen. */
        STALE
    }

    private final Kind kind;
    private final transient List<AdminAction> allowed;

    SagaAdminException(Kind kind, String code, String message, List<AdminAction> allowed) {
        super(code, message, null);
        this.kind = kind;
        this.allowed = List.copyOf(allowed);
    }

    static SagaAdminException unknown(UUID sagaId) {
        return new SagaAdminException(Kind.UNKNOWN, "SAGA-ADMIN-001", "there is no saga " + sagaId, List.of());
    }

    static SagaAdminException changing(UUID sagaId, int tries) {
        return new SagaAdminException(
                Kind.STALE,
                "SAGA-ADMIN-007",
                "saga " + sagaId + " changed " + tries + " times meanwhile; nothing was done; ask again",
                List.of());
    }

    static SagaAdminException insideTransaction(UUID sagaId, String action) {
        return new SagaAdminException(
                Kind.NOT_ALLOWED,
                "SAGA-ADMIN-008",
                action + " of saga " + sagaId + " is asked for inside a transaction, which it could wait for"
                        + " without end; it has a transaction of its own, so ask outside of one",
                List.of());
    }

    /**
     * Why it was refused.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }

    /**
     * What the state of the saga allows.
     *
     * @return the actions
     */
    public List<AdminAction> allowed() {
        return allowed;
    }
}
