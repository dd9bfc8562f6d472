package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyRow;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.store.SagaStoreException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletResponse;

/** What is kept of an answer, and given again. */
class KeptAnswerTest extends FilterFixture {
    private FilterChain answering(int status) {
        return (request, response) -> {
            done.incrementAndGet();
            ((HttpServletResponse) response).setStatus(status);
            response.getOutputStream().write('x');
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 408, 425, 429, 500, 503})
    void what_may_be_answered_otherwise_is_not_kept(int status) throws Exception {
        MockHttpServletResponse first = send(post("k", "a"), answering(status));
        assertThat(first.getStatus()).isEqualTo(status);
        assertThat(first.getContentAsString()).isEqualTo("x");

        assertThat(send(post("k", "a")).getStatus()).isEqualTo(201);
        assertThat(done).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 303, 400, 404, 409, 410, 422})
    void any_other_answer_is_kept_also_a_no(int status) throws Exception {
        assertThat(send(post("k", "a"), answering(status)).getStatus()).isEqualTo(status);

        MockHttpServletResponse again = send(post("k", "a"));
        assertThat(again.getStatus()).isEqualTo(status);
        assertThat(again.getContentAsString()).isEqualTo("x");
        assertThat(done).hasValue(1);
    }

    @Test
    void an_error_that_the_container_shows_is_shown_again() throws Exception {
        FilterChain chain = (request, response) -> {
            done.incrementAndGet();
            response.getOutputStream().write('x');
            ((HttpServletResponse) response).sendError(404, "no such order");
            assertThat(response.isCommitted()).isTrue();
        };

        for (int i = 0; i < 2; i++) {
            MockHttpServletResponse response = send(post("k", "a"), chain);
            assertThat(response.getStatus()).isEqualTo(404);
            assertThat(response.getErrorMessage()).isEqualTo("no such order");
            assertThat(response.getContentAsByteArray()).isEmpty();
        }
        assertThat(send(post("l", "a"), (request, response) -> ((HttpServletResponse) response).sendError(410))
                        .getStatus())
                .isEqualTo(410);
        assertThat(done).hasValue(1);
    }

    @Test
    void a_redirect_is_given_again() throws Exception {
        FilterChain chain = (request, response) -> {
            done.incrementAndGet();
            ((HttpServletResponse) response).sendRedirect("/orders/1");
            assertThat(response.isCommitted()).isTrue();
        };

        for (int i = 0; i < 2; i++) {
            MockHttpServletResponse response = send(post("k", "a"), chain);
            assertThat(response.getStatus()).isEqualTo(302);
            assertThat(response.getHeader("Location")).isEqualTo("/orders/1");
        }
        assertThat(done).hasValue(1);
    }

    @Test
    void an_exception_goes_through_and_the_request_may_be_repeated() throws Exception {
        ServletException broken = new ServletException("broken");

        assertThatThrownBy(() -> send(post("k", "a"), (request, response) -> {
                    throw broken;
                }))
                .isSameAs(broken);
        assertThat(send(post("k", "a")).getStatus()).isEqualTo(201);
    }

    @Test
    void what_the_application_throws_is_never_taken_for_an_answer_of_the_filter() {
        for (RuntimeException own : List.of(
                new SagaRequestException("SAGA-GRD-003", "field", "own"),
                new OperationBusyException("own", false, null),
                new SagaStoreException("SAGA-DB-002", "own", SagaStoreException.Effect.NONE, null))) {
            assertThatThrownBy(() -> send(post("k", "a"), (request, response) -> {
                        throw own;
                    }))
                    .isSameAs(own);
        }
    }

    @Test
    void where_answers_cannot_be_kept_nothing_is_done_and_what_was_done_is_told() throws Exception {
        AtomicBoolean claims = new AtomicBoolean();
        IdempotencyFilter failing = filterOf(new IdempotencyHandler(
                new AwayStore(store, claims),
                new IdempotencyHandler.Settings(Duration.ofDays(1), Duration.ofMinutes(1), Duration.ZERO)));
        MockHttpServletResponse away = new MockHttpServletResponse();
        failing.doFilter(post("k", "a"), away, orders);

        assertThat(away.getStatus()).isEqualTo(503);
        assertThat(away.getContentAsString()).contains("\"code\":\"SAGA-DB-002\"");
        assertThat(done).hasValue(0);

        claims.set(true);
        MockHttpServletResponse told = new MockHttpServletResponse();
        failing.doFilter(post("k", "a"), told, orders);

        assertThat(told.getStatus()).isEqualTo(201);
        assertThat(told.getContentAsString()).contains("\"number\":1");
    }

    @Test
    void an_answer_that_is_too_large_is_given_once_and_the_request_is_not_done_again() throws Exception {
        byte[] large = new byte[(512 << 10) + 1];
        FilterChain download = (request, response) -> {
            done.incrementAndGet();
            response.getOutputStream().write(large);
        };

        assertThat(send(post("k", "a"), download).getContentAsByteArray()).hasSize(large.length);
        MockHttpServletResponse again = send(post("k", "a"), download);
        assertThat(again.getStatus()).isEqualTo(410);
        assertThat(again.getContentAsString()).contains("SAGA-GRD-007");
        assertThat(done).hasValue(1);
    }

    /** Does not answer: not at all, or only when something is to be kept. */
    private record AwayStore(IdempotencyStore store, AtomicBoolean claims) implements IdempotencyStore {
        @Override
        public IdempotencyRow claim(IdempotencyClaim claim) {
            if (!claims.get()) {
                throw away();
            }
            return store.claim(claim);
        }

        @Override
        public boolean complete(String key, UUID token, String result, Duration timeToLive) {
            throw away();
        }

        @Override
        public void release(String key, UUID token) {
            throw away();
        }

        @Override
        public int purge(int limit) {
            return store.purge(limit);
        }

        private static SagaStoreException away() {
            return new SagaStoreException("SAGA-DB-002", "away", SagaStoreException.Effect.UNKNOWN, null);
        }
    }
}
