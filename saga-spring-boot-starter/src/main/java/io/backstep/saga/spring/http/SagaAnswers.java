package io.backstep.saga.spring.http;

import io.backstep.saga.StepRejectedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClientResponseException;

/**
 * Makes of a participant's answer by HTTP what a step makes of it: done, a no, or nobody knows.
 *
 * <pre>{@code
 * RestClient participants = RestClient.builder().requestInterceptor(SagaAnswers.mapped()).build();
 * }</pre>
 *
 * <p>200 and the like are done. 400, 402, 409, 412, 413, 415, 422 and 451 are a no: a {@link StepRejectedException} with the code {@code HTTP-409} and the
 * like, and the beginning of the body. All others tell nothing of the effect and are thrown, so the step tries again by its policy, with
 * the same key, and takes it for unknown when its attempts are spent: 202 (not done yet), redirects (nobody has followed them), 401, 403, 404 and 410 (a
 * gateway says so, too, and neither tells that there is nothing to undo), 408, 425 and 429 (its {@code Retry-After} does not change the policy), 500 and
 * more. Immutable.
 */
public final class SagaAnswers implements ClientHttpRequestInterceptor {
    private static final Set<Integer> NO = Set.of(400, 402, 409, 412, 413, 415, 422, 451);
    private static final int ACCEPTED = 202;
    private static final int MOST_OF_A_BODY = 500;
    private static final SagaAnswers MAPPED = new SagaAnswers();

    private SagaAnswers() {}

    /**
     * The interceptor.
     *
     * @return always the same
     */
    public static SagaAnswers mapped() {
        return MAPPED;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        ClientHttpResponse response = execution.execute(request, body);
        HttpStatusCode status = response.getStatusCode();
        if (status.is2xxSuccessful() && status.value() != ACCEPTED) {
            return response;
        }
        try (response) {
            byte[] said = response.getBody().readNBytes(MOST_OF_A_BODY);
            String message = request.getMethod() + " " + request.getURI() + " was answered " + status.value() + ": "
                    + new String(said, StandardCharsets.UTF_8);
            if (NO.contains(status.value())) {
                throw new StepRejectedException("HTTP-" + status.value(), message);
            }
            throw new RestClientResponseException(
                    message, status, response.getStatusText(), response.getHeaders(), said, StandardCharsets.UTF_8);
        }
    }
}
