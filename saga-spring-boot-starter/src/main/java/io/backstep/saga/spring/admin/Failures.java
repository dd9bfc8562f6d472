package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaException;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.admin.SagaAdminException.Kind;
import io.backstep.saga.store.SagaStoreException;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** Turns what was thrown into an answer. What is no fault of the request is logged, and not told. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final String CHANGED = "SAGA-ADMIN-005";

    /** What the store says of a locked row and of a list that takes too long is for the one who asked. */
    private static final Set<String> TOLD = Set.of("SAGA-DB-012", "SAGA-DB-013");

    private Failures() {}

    static Answer answer(RuntimeException failure) {
        if (failure instanceof RefusedException refused) {
            return refused.answer();
        }
        if (failure instanceof SagaRequestException bad) {
            return problem(Problem.of(400, bad.code(), text(bad)).withField(bad.field()));
        }
        if (failure instanceof SagaAdminException refused) {
            Problem problem = Problem.of(status(refused), refused.code(), text(refused));
            return problem(
                    refused.kind() == Kind.UNKNOWN ? problem : problem.withAllowed(Lines.codes(refused.allowed())));
        }
        boolean store = failure instanceof SagaStoreException
                || failure instanceof DataAccessException
                || failure instanceof TransactionException;
        return store ? unavailable(failure) : broken(failure);
    }

    private static int status(SagaAdminException refused) {
        return switch (refused.kind()) {
            case UNKNOWN -> 404;
            case NOT_ALLOWED -> 409;
            case STALE -> refused.code().equals(CHANGED) ? 412 : 409;
        };
    }

    private static Answer unavailable(RuntimeException failure) {
        if (failure instanceof SagaStoreException busy && TOLD.contains(busy.code())) {
            return problem(Problem.of(503, busy.code(), text(busy)));
        }
        LOG.warn("SAGA-HTTP-503: the database did not answer a request of an operator", failure);
        return problem(Problem.of(503, "SAGA-HTTP-503", "the database did not answer; look before you ask again"));
    }

    private static Answer broken(RuntimeException failure) {
        LOG.error("SAGA-HTTP-500: a request of an operator failed", failure);
        return problem(Problem.of(500, "SAGA-HTTP-500", "this failed; the log of this node says why"));
    }

    /** The code has a place of its own. */
    private static String text(SagaException refused) {
        String message = String.valueOf(refused.getMessage());
        String before = refused.code() + ": ";
        return message.startsWith(before) ? message.substring(before.length()) : message;
    }

    private static Answer problem(Problem problem) {
        return new Answer(problem.status(), List.of(), problem);
    }
}
