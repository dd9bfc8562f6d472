package io.backstep.saga.examples.order;

import io.backstep.saga.SagaStartException;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Says what is wrong with a request. */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE) // before the one of Spring Boot, which names no fields
class OrderProblems {
    @ExceptionHandler
    ProblemDetail badInput(MethodArgumentNotValidException bad) {
        Map<String, String> fields = new TreeMap<>();
        bad.getFieldErrors().forEach(error -> fields.put(error.getField(), String.valueOf(error.getDefaultMessage())));
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "the order is not valid");
        problem.setProperty("fields", fields);
        return problem;
    }

    @ExceptionHandler
    ProblemDetail notStarted(SagaStartException refused) {
        boolean taken = refused.code().equals("SAGA-START-002");
        ProblemDetail problem = taken
                ? ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "the reference belongs to another order")
                : ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "no order can be taken in now");
        problem.setProperty("code", refused.code());
        return problem;
    }
}
