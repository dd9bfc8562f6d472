package io.backstep.saga.spring.admin;

import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * The REST API. A servlet of its own, so that what an application tells Spring MVC (converters, advice, CORS, path matching) does not
 * reach it, nor does it reach the application's.
 */
final class SagaAdminServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient String basePath;
    private final transient Gate gate;
    private final transient Reads reads;
    private final transient Operations operations;
    private final transient AnswerWriter writer = new AnswerWriter();

    SagaAdminServlet(String basePath, Gate gate, Reads reads, Operations operations) {
        this.basePath = basePath;
        this.gate = gate;
        this.reads = reads;
        this.operations = operations;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        writer.write(answer(request), response);
    }

    private Answer answer(HttpServletRequest request) throws IOException {
        try {
            Origins.check(request);
            Caller caller = gate.enter(request);
            Route route = route(request);
            requireMethod(route, request);
            Headers.checkAccept(request);
            return answer(request, caller, route);
        } catch (RuntimeException e) {
            return Failures.answer(e);
        }
    }

    private Answer answer(HttpServletRequest request, Caller caller, Route route) throws IOException {
        if (route instanceof Route.Action act) {
            return operations.act(request, caller, act.sagaId(), act.action());
        }
        if (route instanceof Route.Saga saga) {
            return reads.saga(request, caller, saga.sagaId());
        }
        if (route instanceof Route.History history) {
            return reads.history(request, caller, history.sagaId());
        }
        return route instanceof Route.Audit ? reads.audit(request, caller) : reads.sagas(request, caller);
    }

    /** The address as it was sent: nothing is decoded, cut off or put in order. */
    private Route route(HttpServletRequest request) {
        String address = request.getRequestURI();
        String prefix = request.getContextPath() + basePath;
        return (address.startsWith(prefix) ? Route.of(address.substring(prefix.length())) : Optional.<Route>empty())
                .orElseThrow(() -> new RefusedException(404, "SAGA-HTTP-404", "there is nothing at this address"));
    }

    private static void requireMethod(Route route, HttpServletRequest request) {
        if (!request.getMethod().equals(route.method())) {
            throw new RefusedException(
                    405,
                    "SAGA-HTTP-405",
                    "only " + route.method() + " is allowed here",
                    new Answer.Header("Allow", route.method()));
        }
    }
}
