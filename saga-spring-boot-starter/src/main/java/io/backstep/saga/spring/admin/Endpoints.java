package io.backstep.saga.spring.admin;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/** Who answers what. */
final class Endpoints {
    private final Gate gate;
    private final Reads reads;
    private final Operations operations;

    Endpoints(SagaAdmin admin, SagaAdminAuthorizer authorizer, boolean requireIfMatch) {
        this.gate = new Gate(admin, authorizer);
        this.reads = new Reads(admin, gate);
        this.operations = new Operations(admin, gate, requireIfMatch);
    }

    Caller enter(HttpServletRequest request) {
        return gate.enter(request);
    }

    Answer answer(HttpServletRequest request, Caller caller, Route route) throws IOException {
        if (route instanceof Route.Action act) {
            return operations.act(request, caller, act.sagaId(), act.action());
        }
        if (route instanceof Route.Resolve told) {
            return operations.resolve(request, caller, told.sagaId(), told.step());
        }
        if (route instanceof Route.Saga saga) {
            return reads.saga(request, caller, saga.sagaId());
        }
        if (route instanceof Route.History history) {
            return reads.history(request, caller, history.sagaId());
        }
        return route instanceof Route.Audit ? reads.audit(request, caller) : reads.sagas(request, caller);
    }
}
