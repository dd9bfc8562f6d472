package io.backstep.saga.spring.admin;

import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The REST API. A servlet of its own, so that what an application tells Spring MVC (converters, advice, CORS, path matching) does not
 * reach it, nor does it reach the application's.
 */
final class SagaAdminServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient String basePath;
    private final transient Supplier<Endpoints> endpoints;
    private final transient AnswerWriter writer = new AnswerWriter();

    SagaAdminServlet(String basePath, Supplier<Endpoints> endpoints) {
        this.basePath = basePath;
        this.endpoints = endpoints;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        writer.write(answer(request), response);
    }

    private Answer answer(HttpServletRequest request) throws IOException {
        try {
            Origins.check(request);
            Endpoints all = endpoints.get();
            Caller caller = all.enter(request);
            Route route = route(request);
            requireMethod(route, request);
            Headers.checkAccept(request);
            return all.answer(request, caller, route);
        } catch (RuntimeException e) {
            return Failures.answer(e);
        }
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
