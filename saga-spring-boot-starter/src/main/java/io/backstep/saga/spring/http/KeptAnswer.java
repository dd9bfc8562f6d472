package io.backstep.saga.spring.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request was answered, as far as it is given again.
 *
 * @param status the status
 * @param headers those that belong to the body, or say where something was made; never cookies
 * @param body as Base64, or null when it was too large to be kept
 * @param error whether the container shows the body, as that of an error
 * @param message what the error is shown with
 */
record KeptAnswer(
        int status,
        Map<String, String> headers,
        @Nullable String body,
        boolean error,
        @Nullable String message) {
    private static final List<String> KEPT =
            List.of("Content-Type", "Content-Language", "Location", "ETag", "Last-Modified");

    /** Who logs in, or comes later, may be answered otherwise. */
    private static final Set<Integer> PASSING = Set.of(401, 403, 408, 425, 429);

    private static final int LARGEST = 512 * 1024;

    static KeptAnswer of(HeldResponse response) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : KEPT) {
            String value = response.getHeader(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        if (response.getContentType() != null) {
            headers.put("Content-Type", response.getContentType());
        }
        String body = response.getContentSize() > LARGEST
                ? null
                : Base64.getEncoder().encodeToString(response.getContentAsByteArray());
        return new KeptAnswer(response.getStatus(), headers, body, response.isError(), response.message());
    }

    /** Whether it is worth keeping: it would be the same if the request were made again. */
    boolean isFinal() {
        return status < 500 && !PASSING.contains(status);
    }

    void giveAgain(HttpServletResponse response) throws IOException {
        if (body == null) {
            Refusal.of(410, "SAGA-GRD-007", "it was done before, and its answer was too large to be kept")
                    .send(response);
            return;
        }
        response.setHeader("Idempotency-Replayed", "true");
        if (error) {
            HeldResponse.show(response, status, message);
            return;
        }
        response.setStatus(status);
        headers.forEach(response::setHeader);
        byte[] bytes = Base64.getDecoder().decode(body);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
