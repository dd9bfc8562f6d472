package io.backstep.saga.spring.http;

import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.participant.InMemoryIdempotencyStore;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** A filter on a store in memory, and what is behind it. */
abstract class FilterFixture {
    final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    final IdempotencyStore store = new InMemoryIdempotencyStore(now::get);
    final IdempotencyHandler handler = new IdempotencyHandler(
            store, new IdempotencyHandler.Settings(Duration.ofDays(1), Duration.ofMinutes(1), Duration.ofSeconds(60)));
    final IdempotencyFilter filter = filterOf(handler);
    final AtomicInteger done = new AtomicInteger();

    final FilterChain orders = (request, response) -> {
        int number = done.incrementAndGet();
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        HttpServletResponse http = (HttpServletResponse) response;
        http.setStatus(201);
        http.setHeader("Location", "/orders/" + number);
        http.setHeader("Set-Cookie", "session=secret");
        http.setContentType("application/json");
        http.getOutputStream()
                .write(("{\"number\":" + number + ",\"of\":\"" + body + "\"}").getBytes(StandardCharsets.UTF_8));
    };

    static IdempotencyFilter filterOf(IdempotencyHandler handler) {
        return new IdempotencyFilter(
                () -> handler, "shop", List.of("/payments/**", "orders/{id}/refund"), List.of("/payments/own/**"));
    }

    static MockHttpServletRequest post(String key, String body) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders");
        request.addHeader("Idempotency-Key", key);
        request.setContentType("application/json");
        request.setContent(body.getBytes(StandardCharsets.UTF_8));
        return request;
    }

    MockHttpServletResponse send(MockHttpServletRequest request) throws IOException, ServletException {
        return send(request, orders);
    }

    MockHttpServletResponse send(MockHttpServletRequest request, FilterChain chain)
            throws IOException, ServletException {
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(request, response, chain);
        return response;
    }
}
