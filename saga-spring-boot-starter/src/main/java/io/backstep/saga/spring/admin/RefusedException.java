package io.backstep.saga.spring.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that is refused: what a problem of RFC 9457 says of it. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final transient List<Answer.Header> headers;

    /** No stack trace: strangers cause these. */
    RefusedException(Problem problem, Answer.Header... headers) {
        super(problem.code() + ": " + problem.detail(), null, false, false);
        this.problem = problem;
        this.headers = List.of(headers);
    }

    RefusedException(int status, String code, String detail, Answer.Header... headers) {
        this(Problem.of(status, code, detail), headers);
    }

    static RefusedException badInput(String code, @Nullable String field, String detail) {
        return new RefusedException(Problem.of(400, code, detail).withField(field));
    }

    Answer answer() {
        return new Answer(problem.status(), headers, problem);
    }
}
