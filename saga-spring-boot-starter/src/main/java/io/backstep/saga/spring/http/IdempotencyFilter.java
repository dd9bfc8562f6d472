package io.backstep.saga.spring.http;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Step;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationLostException;
import io.backstep.saga.store.SagaStoreException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Answers a request by POST or PATCH that has an {@code Idempotency-Key} once, and gives the same answer to whoever repeats it, for a time. The
 * key is the user's own: the same of another user is another key. What is no final answer ({@link KeptAnswer}) or ends with an exception is not
 * kept, so the next one with the key tries again. Who comes too early is answered 503 with {@code Retry-After}, never what a caller could take for
 * a no. Safe for use by many threads.
 */
public final class IdempotencyFilter extends OncePerRequestFilter {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
    private static final String KEY = "Idempotency-Key";
    private static final Set<String> METHODS = Set.of("POST", "PATCH");
    private static final Step<KeptAnswer> HTTP = Step.named("http", KeptAnswer.class);
    private static final int LARGEST = 1 << 20;
    private static final int LONGEST_KEY = 200;

    private final Supplier<IdempotencyHandler> handler;
    private final String application;
    private final List<PathPattern> required;
    private final List<PathPattern> except;

    /**
     * Makes a filter.
     *
     * @param handler asked by each request that has a key
     * @param application keys are its own, when several keep them in one place
     * @param required patterns of paths, as Spring MVC's, below the context path: what is sent there by POST or PATCH must have a key
     * @param except patterns of paths whose keys are for others, and which are let through
     * @throws IllegalArgumentException when one is no pattern
     */
    public IdempotencyFilter(
            Supplier<IdempotencyHandler> handler, String application, List<String> required, List<String> except) {
        this.handler = handler;
        this.application = application;
        this.required = patterns(required);
        this.except = patterns(except);
    }

    private static List<PathPattern> patterns(List<String> texts) {
        PathPatternParser parser = PathPatternParser.defaultInstance;
        return texts.stream()
                .map(text -> parser.parse(parser.initFullPathPattern(text)))
                .toList();
    }

    /** Nothing is kept of what the application has answered, or thrown. */
    private static final class NotKept extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient @Nullable Exception thrown;

        NotKept(@Nullable Exception thrown) {
            super("not kept", null, false, false);
            this.thrown = thrown;
        }
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        if (!METHODS.contains(request.getMethod())) {
            return true;
        }
        PathContainer path = PathContainer.parsePath(
                request.getRequestURI().substring(request.getContextPath().length()));
        return isOneOf(except, path) || (request.getHeader(KEY) == null && !isOneOf(required, path));
    }

    private static boolean isOneOf(List<PathPattern> patterns, PathContainer path) {
        return patterns.stream().anyMatch(pattern -> pattern.matches(path));
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        List<String> keys = Collections.list(request.getHeaders(KEY));
        if (keys.isEmpty()) {
            Refusal.of(400, "SAGA-GRD-009", "this needs an " + KEY).send(response);
            return;
        }
        if (keys.size() > 1) {
            Refusal.of(400, "SAGA-REQ-001", "there are " + keys.size() + " of " + KEY)
                    .send(response);
            return;
        }
        try {
            SagaRequestException.requireText(KEY, keys.get(0), LONGEST_KEY);
        } catch (SagaRequestException e) {
            Refusal.of(400, e.code(), String.valueOf(e.getMessage())).send(response);
            return;
        }
        String type = String.valueOf(request.getContentType()).toLowerCase(Locale.ROOT);
        if (type.startsWith("multipart/") || type.startsWith("application/x-www-form-urlencoded")) {
            Refusal.of(415, "SAGA-GRD-006", "a form has no " + KEY + "; send it without, or send JSON")
                    .send(response);
            return;
        }
        byte[] body = request.getInputStream().readNBytes(LARGEST + 1);
        if (body.length > LARGEST) {
            Refusal.of(413, "SAGA-GRD-006", "a request with " + KEY + " may have " + LARGEST + " bytes")
                    .send(response);
            return;
        }
        answer(new KeyedRequest(request, body), keys.get(0), new HeldResponse(response), chain);
    }

    private void answer(KeyedRequest request, String key, HeldResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            KeptAnswer answer = handler.get()
                    .once(request.key(application, key), HTTP, request.said(), () -> call(request, response, chain));
            if (response.isDone()) {
                response.give();
            } else {
                answer.giveAgain(response.open());
            }
        } catch (NotKept e) {
            rethrow(e.thrown);
            response.give();
        } catch (SagaStoreException e) {
            unavailable(response, e);
        } catch (SagaRequestException e) {
            Refusal.of(422, e.code(), "this " + KEY + " was used for another request")
                    .send(response.open());
        } catch (OperationBusyException e) {
            Refusal.of(503, e.code(), "the first request with this " + KEY + " is still under way")
                    .later()
                    .send(response.open());
        } catch (OperationLostException e) {
            Refusal.of(503, e.code(), "this took too long, and another request with this " + KEY + " came in between")
                    .later()
                    .send(response.open());
        } catch (Exception e) {
            rethrow(e);
        }
    }

    /** Whatever the application throws is its own, and not to be taken for an answer of the handler. */
    private static KeptAnswer call(KeyedRequest request, HeldResponse response, FilterChain chain) throws NotKept {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | IOException | RuntimeException e) {
            throw new NotKept(e);
        }
        response.done();
        KeptAnswer answer = KeptAnswer.of(response);
        if (!answer.isFinal()) {
            throw new NotKept(null);
        }
        return answer;
    }

    /** What was done was done, also when its answer cannot be kept: told now, nobody has to ask again. */
    private static void unavailable(HeldResponse response, SagaStoreException failure) throws IOException {
        if (response.isDone()) {
            LOG.warn("{}: a request under a key was done, and its answer cannot be kept", failure.code(), failure);
            response.give();
        } else {
            LOG.warn("{}: a request under a key was not done", failure.code(), failure);
            Refusal.of(503, failure.code(), "answers cannot be kept at the moment; nothing was done")
                    .later()
                    .send(response.open());
        }
    }

    private static void rethrow(@Nullable Exception failure) throws ServletException, IOException {
        if (failure instanceof ServletException servlet) {
            throw servlet;
        }
        if (failure instanceof IOException io) {
            throw io;
        }
        if (failure instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (failure != null) {
            throw new ServletException(failure);
        }
    }
}
