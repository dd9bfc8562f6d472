package io.backstep.saga.spring.http;

import io.backstep.saga.serialization.Json;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;

/**
 * A problem of RFC 9457.
 *
 * @param status the status
 * @param code the stable code
 * @param detail one sentence for people
 * @param again whether the same request may be answered otherwise in a second
 */
record Refusal(int status, String code, String detail, boolean again) {
    private static final Json JSON = new Json();

    static Refusal of(int status, String code, String detail) {
        return new Refusal(status, code, detail, false);
    }

    Refusal later() {
        return new Refusal(status, code, detail, true);
    }

    void send(HttpServletResponse response) throws IOException {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", HttpStatus.valueOf(status).getReasonPhrase());
        problem.put("status", status);
        problem.put("detail", detail);
        problem.put("code", code);
        if (again) {
            response.setHeader("Retry-After", "1");
        }
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.getOutputStream().write(JSON.write("a problem", problem).getBytes(StandardCharsets.UTF_8));
    }
}
