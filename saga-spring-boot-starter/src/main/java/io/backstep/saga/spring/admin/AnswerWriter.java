package io.backstep.saga.spring.admin;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** Writes answers, in our own way: an application's mapper, converters and headers don't matter. */
final class AnswerWriter {
    /** Whoever sets these means the application's own pages. */
    private static final List<String> NEVER = List.of(
            "Access-Control-Allow-Origin",
            "Access-Control-Allow-Credentials",
            "Access-Control-Allow-Methods",
            "Access-Control-Allow-Headers",
            "Access-Control-Expose-Headers");

    private final JsonMapper json = new JsonMapper();

    void write(Answer answer, HttpServletResponse response) throws IOException {
        // by way of a string: half a character becomes a question mark instead of an exception
        byte[] body = json.writeValueAsString(answer.body()).getBytes(StandardCharsets.UTF_8);
        response.setStatus(answer.status());
        secure(response);
        answer.headers().forEach(header -> response.setHeader(header.name(), header.value()));
        response.setContentType(answer.body() instanceof Problem ? "application/problem+json" : "application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static void secure(HttpServletResponse response) {
        NEVER.stream().filter(response::containsHeader).forEach(name -> response.setHeader(name, null));
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Referrer-Policy", "no-referrer");
    }
}
