package io.backstep.saga.spring.http;

import io.backstep.saga.definition.StepContext;
import java.io.IOException;
import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Puts into the headers of a step's call what its participant has to know; {@link SagaCall} reads it there. Either for one call, or for all of
 * a client's:
 *
 * <pre>{@code
 * http.post().uri("/reservations").headers(SagaHeaders.of(c)).body(order)...
 * http.mutate().requestInterceptor(SagaHeaders.of(c)).build()
 * }</pre>
 *
 * <p>{@code Idempotency-Key} is {@link StepContext#operationKey()}: an action and its compensation are two requests. {@code Saga-Key} is
 * {@link StepContext#idempotencyKey()}, which both share. The others are {@code Saga-Id}, {@code Saga-Epoch}, and {@code Saga-Remaining} in
 * milliseconds, as it is when the headers are set. Headers of these names that are there before are replaced. A
 * probe has the key of the action that it asks about: let it ask by GET, which the filter for {@code Idempotency-Key} lets through. Belongs to the attempt, as its
 * context does.
 */
public final class SagaHeaders implements ClientHttpRequestInterceptor, Consumer<HttpHeaders> {
    static final String REQUEST = "Idempotency-Key";
    static final String KEY = "Saga-Key";
    static final String ID = "Saga-Id";
    static final String EPOCH = "Saga-Epoch";
    static final String REMAINING = "Saga-Remaining";

    private final StepContext<?> context;

    private SagaHeaders(StepContext<?> context) {
        this.context = context;
    }

    /**
     * The headers of an attempt.
     *
     * @param context what the action, probe or compensation was told
     * @return what sets them
     */
    public static SagaHeaders of(StepContext<?> context) {
        return new SagaHeaders(context);
    }

    @Override
    public void accept(HttpHeaders headers) {
        headers.set(REQUEST, context.operationKey());
        headers.set(KEY, context.idempotencyKey());
        headers.set(ID, context.sagaId().toString());
        headers.set(EPOCH, Long.toString(context.epoch()));
        headers.set(REMAINING, Long.toString(context.remaining().toMillis()));
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        accept(request.getHeaders());
        return execution.execute(request, body);
    }
}
