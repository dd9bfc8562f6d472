package io.backstep.saga.admin;

import io.backstep.saga.SagaException;
import java.util.List;

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
