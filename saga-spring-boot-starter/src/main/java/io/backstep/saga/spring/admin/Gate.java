package io.backstep.saga.spring.admin;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Subject;
import io.backstep.saga.store.InstanceSummary;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The second gate, behind whatever filters there are: who asks, and may they. */
final class Gate {
    private final SagaAdmin admin;
    private final SagaAdminAuthorizer authorizer;

    Gate(SagaAdmin admin, SagaAdminAuthorizer authorizer) {
        this.admin = admin;
        this.authorizer = authorizer;
    }

    /** Refuses whoever may not even look. */
    Caller enter(HttpServletRequest request) {
        Caller caller = authorizer.caller(request);
        if (caller == null) {
            throw new RefusedException(401, "SAGA-HTTP-401", "log in first");
        }
        require(caller, Right.VIEW);
        return caller;
    }

    static void require(Caller caller, Right right) {
        if (!caller.may(right)) {
            throw forbidden();
        }
    }

    /** A saga that may be looked at; one that may not looks like one that is not there. */
    Subject saga(Caller caller, UUID sagaId) {
        return admin.summary(sagaId)
                .map(saga -> new Subject(sagaId, saga))
                .filter(subject -> caller.may(Right.VIEW, subject))
                .orElseThrow(() -> unknown(sagaId));
    }

    static void require(Caller caller, Right right, Subject subject) {
        if (!caller.may(right, subject)) {
            throw forbidden();
        }
    }

    boolean mayView(Caller caller, InstanceSummary saga) {
        return caller.may(Right.VIEW, new Subject(saga.sagaId(), saga));
    }

    /** Those of a list that may be looked at: each is asked about once, and all are read at once. */
    Set<UUID> visible(Caller caller, Set<UUID> ids) {
        Map<UUID, InstanceSummary> sagas = admin.summaries(ids);
        return ids.stream()
                .filter(id -> caller.may(Right.VIEW, new Subject(id, sagas.get(id))))
                .collect(Collectors.toSet());
    }

    static RefusedException unknown(UUID sagaId) {
        return new RefusedException(404, "SAGA-ADMIN-001", "there is no saga " + sagaId);
    }

    private static RefusedException forbidden() {
        return new RefusedException(403, "SAGA-HTTP-403", "you may not do this");
    }
}
