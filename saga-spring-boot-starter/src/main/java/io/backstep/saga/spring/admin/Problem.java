package io.backstep.saga.spring.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * A problem of RFC 9457.
 *
 * @param title what the status means
 * @param status the status
 * @param detail one sentence for people
 * @param code the stable code
 * @param field which part of the request is wrong, or null
 * @param allowed what the state of the saga allows, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Problem(
        String title,
        int status,
        String detail,
        String code,
        @Nullable String field,
        @Nullable List<String> allowed) {
    static Problem of(int status, String code, String detail) {
        return new Problem(HttpStatus.valueOf(status).getReasonPhrase(), status, detail, code, null, null);
    }

    Problem withField(@Nullable String name) {
        return new Problem(title, status, detail, code, name, allowed);
    }

    Problem withAllowed(List<String> actions) {
        return new Problem(title, status, detail, code, field, actions);
    }
}
