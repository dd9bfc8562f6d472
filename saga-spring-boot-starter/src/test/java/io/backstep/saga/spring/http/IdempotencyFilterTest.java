package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.IdempotencyHandler;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Whether a request is let through, answered again or refused. */
class IdempotencyFilterTest extends FilterFixture {
    @Test // R5
    void a_request_that_is_repeated_has_one_effect_and_the_same_answer_also_after_an_hour() throws Exception {
        MockHttpServletResponse first = send(post("k", "a"));
        now.set(Instant.EPOCH.plus(Duration.ofHours(1)));
        MockHttpServletResponse again = send(post("k", "a"));

        assertThat(done).hasValue(1);
        assertThat(again.getStatus()).isEqualTo(first.getStatus()).isEqualTo(201);
        assertThat(again.getContentAsString())
                .isEqualTo(first.getContentAsString())
                .isEqualTo("{\"number\":1,\"of\":\"a\"}");
        assertThat(again.getHeader("Location")).isEqualTo("/orders/1");
        assertThat(again.getContentType()).isEqualTo(first.getContentType());
        assertThat(again.getHeader("Idempotency-Replayed")).isEqualTo("true");
        assertThat(first.getHeader("Idempotency-Replayed")).isNull();
        assertThat(again.getHeader("Set-Cookie"))
                .as("what is another session's")
                .isNull();
    }

    @Test // R5
    void the_same_request_twice_at_once_has_one_effect_and_the_same_answer() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        FilterChain slow = (request, response) -> {
            begun.countDown();
            try {
                goOn.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new ServletException(e);
            }
            orders.doFilter(request, response);
        };
        CompletableFuture<MockHttpServletResponse> first = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                first.complete(send(post("k", "a"), slow));
            } catch (Exception e) {
                first.completeExceptionally(e);
            }
        });
        thread.start();
        begun.await(60, TimeUnit.SECONDS);
        CompletableFuture<MockHttpServletResponse> second = CompletableFuture.supplyAsync(() -> {
            try {
                return send(post("k", "a"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        goOn.countDown();

        assertThat(second.get(60, TimeUnit.SECONDS).getContentAsString())
                .isEqualTo(first.get(60, TimeUnit.SECONDS).getContentAsString());
        assertThat(done).hasValue(1);
    }

    @Test
    void another_request_under_the_same_key_is_refused() throws Exception {
        send(post("k", "a"));

        MockHttpServletResponse other = send(post("k", "b"));
        assertThat(other.getStatus()).isEqualTo(422);
        assertThat(other.getContentType()).isEqualTo("application/problem+json");
        assertThat(other.getContentAsString())
                .isEqualTo(
                        "{\"title\":\"Unprocessable Content\",\"status\":422,"
                                + "\"detail\":\"this Idempotency-Key was used for another request\",\"code\":\"SAGA-GRD-003\"}");

        MockHttpServletRequest elsewhere = post("k", "a");
        elsewhere.setRequestURI("/refunds");
        assertThat(send(elsewhere).getStatus()).isEqualTo(422);
        MockHttpServletRequest patch = post("k", "a");
        patch.setMethod("PATCH");
        assertThat(send(patch).getStatus()).isEqualTo(422);
        MockHttpServletRequest query = post("k", "a");
        query.setQueryString("dry=true");
        assertThat(send(query).getStatus()).isEqualTo(422);
        assertThat(done).hasValue(1);
    }

    @Test
    void the_same_key_of_another_user_is_another_key() throws Exception {
        send(as("ann", post("k", "a")));

        assertThat(send(as("bob", post("k", "a"))).getContentAsString()).contains("\"number\":2");
        assertThat(send(as("ann", post("k", "a"))).getContentAsString()).contains("\"number\":1");
    }

    private static MockHttpServletRequest as(String user, MockHttpServletRequest request) {
        request.setUserPrincipal((Principal) () -> user);
        return request;
    }

    @Test
    void a_key_is_one_applications_own_also_where_several_share_the_store() throws Exception {
        IdempotencyFilter other = new IdempotencyFilter(() -> handler, "shop-2", List.of(), List.of());
        send(post("k", "a"));

        MockHttpServletResponse response = new MockHttpServletResponse();
        other.doFilter(post("k", "b"), response, orders);
        assertThat(response.getStatus()).isEqualTo(201);
    }

    @Test
    void while_the_first_is_under_way_the_second_is_told_to_come_back() throws Exception {
        IdempotencyFilter impatient = filterOf(new IdempotencyHandler(
                store, new IdempotencyHandler.Settings(Duration.ofDays(1), Duration.ofMinutes(1), Duration.ZERO)));
        MockHttpServletResponse second = new MockHttpServletResponse();

        send(post("k", "a"), (request, response) -> {
            impatient.doFilter(post("k", "a"), second, orders);
            orders.doFilter(request, response);
        });

        assertThat(second.getStatus()).isEqualTo(503);
        assertThat(second.getHeader("Retry-After")).isEqualTo("1");
        assertThat(second.getContentType()).isEqualTo("application/problem+json");
        assertThat(second.getContentAsString()).contains("\"code\":\"SAGA-GRD-002\"");
        assertThat(done).hasValue(1);
    }

    @Test // F028
    void who_takes_too_long_is_told_so_and_the_answer_of_the_next_is_kept() throws Exception {
        MockHttpServletResponse slow = send(post("k", "a"), (request, response) -> {
            now.set(now.get().plus(Duration.ofMinutes(2)));
            assertThat(send(post("k", "a")).getContentAsString()).contains("\"number\":1");
            orders.doFilter(request, response);
        });

        assertThat(slow.getStatus()).isEqualTo(503);
        assertThat(slow.getContentAsString())
                .contains("\"code\":\"SAGA-GRD-004\"")
                .doesNotContain("number");
        assertThat(send(post("k", "a")).getContentAsString()).contains("\"number\":1");
    }

    @Test
    void where_a_key_is_required_a_request_without_is_refused() throws Exception {
        for (String path : List.of("/shop/payments", "/shop/payments/a/b", "/shop/orders/7/refund")) {
            MockHttpServletRequest request = new MockHttpServletRequest("POST", path);
            request.setContextPath("/shop");
            MockHttpServletResponse response = send(request);
            assertThat(response.getStatus()).isEqualTo(400);
            assertThat(response.getContentAsString()).contains("\"code\":\"SAGA-GRD-009\"");
            request.setMethod("GET");
            assertThat(send(request).getStatus()).isEqualTo(201);
        }
        MockHttpServletRequest elsewhere = new MockHttpServletRequest("POST", "/shop/orders/7");
        elsewhere.setContextPath("/shop");
        assertThat(send(elsewhere).getStatus()).isEqualTo(201);
        MockHttpServletRequest keyed = post("k", "a");
        keyed.setRequestURI("/payments");
        assertThat(send(keyed).getStatus()).isEqualTo(201);
    }

    @Test
    void what_is_excepted_goes_through_with_and_without_a_key() throws Exception {
        MockHttpServletRequest keyed = post("k", "a");
        keyed.setRequestURI("/payments/own/1");
        MockHttpServletRequest plain = new MockHttpServletRequest("POST", "/payments/own");

        for (MockHttpServletRequest request : List.of(keyed, plain)) {
            send(request, (same, response) -> {
                assertThat(same).isSameAs(request);
                done.incrementAndGet();
            });
        }
        assertThat(done).hasValue(2);
    }

    @Test
    void what_has_no_key_or_another_method_goes_through() throws Exception {
        MockHttpServletRequest plain = new MockHttpServletRequest("POST", "/orders");
        plain.setContent(new byte[2 << 20]);
        send(plain);
        MockHttpServletRequest put = post("k", "a");
        put.setMethod("PUT");
        send(put);
        put = post("k", "a");
        put.setMethod("PUT");
        send(put);

        assertThat(done).hasValue(3);
    }

    @Test
    void a_form_a_large_request_and_a_bad_key_are_refused() throws Exception {
        MockHttpServletRequest form = post("k", "a=b");
        form.setContentType("application/x-www-form-urlencoded;charset=utf-8");

        assertThat(send(form).getStatus()).isEqualTo(415);
        assertThat(send(post("k", "x".repeat((1 << 20) + 1))).getStatus()).isEqualTo(413);
        assertThat(send(post(" ", "a")).getStatus()).isEqualTo(400);
        MockHttpServletResponse tooLong = send(post("k".repeat(201), "a"));
        assertThat(tooLong.getStatus()).isEqualTo(400);
        assertThat(tooLong.getContentAsString()).contains("\"code\":\"SAGA-REQ-001\"");
        MockHttpServletRequest two = post("k", "a");
        two.addHeader("Idempotency-Key", "l");
        assertThat(send(two).getStatus()).isEqualTo(400);
        assertThat(done).hasValue(0);
    }

    @Test
    void a_request_cannot_be_answered_later_by_another_thread() throws Exception {
        MockHttpServletRequest supported = post("k", "a");
        supported.setAsyncSupported(true);

        send(supported, (request, response) -> {
            assertThat(request.isAsyncSupported()).isFalse();
            assertThatThrownBy(request::startAsync).isInstanceOf(IllegalStateException.class);
        });
    }
}
