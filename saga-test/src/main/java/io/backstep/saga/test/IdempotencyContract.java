package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Step;
import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyHandler.Settings;
import io.backstep.saga.participant.IdempotencyRow;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationLostException;
import io.backstep.saga.participant.ResultNotKeptException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link IdempotencyStore} must do, seen through the handler that works on it. Extend it, and hand in the store. All cases may
 * share one store: each has keys of its own.
 */
public abstract class IdempotencyContract {
    private static final Step<Receipt> PAY = Step.named("pay", Receipt.class);
    private static final Duration TIME_TO_LIVE = Duration.ofHours(24);
    private static final Duration LIMIT = Duration.ofHours(1);

    /**
     * What comes of a request.
     *
     * @param number which call has made it
     */
    record Receipt(String number) {}

    private final String key = UUID.randomUUID().toString();
    private final AtomicInteger done = new AtomicInteger();

    /** Made by the test framework. */
    protected IdempotencyContract() {}

    /**
     * The store under test. May be used by up to 20 threads at once.
     *
     * @return the same store for the whole of a case
     */
    protected abstract IdempotencyStore store();

    /**
     * Makes a key older: until when it is busy, and when its time to live is over.
     *
     * @param key the key
     * @param by how much
     */
    protected abstract void age(String key, Duration by);

    private IdempotencyHandler handler() {
        return handler(Duration.ofSeconds(60));
    }

    private IdempotencyHandler handler(Duration patience) {
        return new IdempotencyHandler(store(), new Settings(TIME_TO_LIVE, LIMIT, patience));
    }

    private Receipt pay(String number) {
        return pay(key, "10 EUR", () -> new Receipt(number));
    }

    private Receipt pay(String under, String request, Callable<Receipt> work) {
        return GuardFixture.tried(() -> handler().once(under, PAY, request, () -> {
            done.incrementAndGet();
            return work.call();
        }));
    }

    @Test
    void whoever_asks_again_is_answered_the_same() {
        assertThat(pay("1")).isEqualTo(new Receipt("1"));
        assertThat(pay("2")).isEqualTo(new Receipt("1"));
        assertThat(done).hasValue(1);
    }

    @Test
    void of_many_that_ask_at_once_one_does_it_and_all_are_answered_the_same() {
        List<Receipt> answers = Together.run(20, number -> pay("" + number));

        assertThat(done).hasValue(1);
        assertThat(Collections.frequency(answers, answers.get(0))).isEqualTo(20);
    }

    @Test
    void another_request_under_the_same_key_is_refused() {
        pay("1");

        assertThatThrownBy(() -> pay(key, "11 EUR", () -> new Receipt("2")))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-GRD-003");
        assertThatThrownBy(() ->
                        handler().once(key, Step.named("refund", Receipt.class), "10 EUR", () -> new Receipt("3")))
                .isInstanceOf(SagaRequestException.class);
        assertThat(done).hasValue(1);
    }

    @Test
    void another_request_is_refused_also_while_the_first_is_under_way() {
        pay(key, "10 EUR", () -> {
            assertThatThrownBy(() -> pay(key, "11 EUR", () -> new Receipt("2")))
                    .isInstanceOf(SagaRequestException.class);
            return new Receipt("1");
        });
    }

    @Test
    void what_fails_is_not_stored_and_may_be_tried_again() {
        assertThatThrownBy(() -> handler().once(key, PAY, "10 EUR", () -> {
                    throw new IOException("no answer");
                }))
                .isInstanceOf(IOException.class);

        assertThat(pay("2")).isEqualTo(new Receipt("2"));
        assertThat(pay(key, "10 EUR", () -> new Receipt("3"))).isEqualTo(new Receipt("2"));
    }

    @Test
    void what_was_done_is_not_done_again_though_its_result_cannot_be_kept() {
        String number = "too long ".repeat(1 << 17);
        assertThat(pay(number)).isEqualTo(new Receipt(number));

        assertThatThrownBy(() -> pay("2"))
                .isInstanceOf(ResultNotKeptException.class)
                .hasMessageStartingWith("SAGA-GRD-013");
        assertThat(done).hasValue(1);
    }

    @Test
    void who_stores_twice_because_the_first_answer_was_lost_is_told_the_same() {
        UUID token = UUID.randomUUID();
        store().claim(new IdempotencyClaim(key, "f".repeat(64), token, LIMIT, TIME_TO_LIVE));

        assertThat(store().complete(key, token, "\"a\"", TIME_TO_LIVE)).isTrue();
        assertThat(store().complete(key, token, "\"a\"", TIME_TO_LIVE)).isTrue();
        assertThat(store().complete(key, UUID.randomUUID(), "\"b\"", TIME_TO_LIVE))
                .isFalse();
    }

    @Test
    void a_result_of_a_type_that_cannot_be_kept_is_refused_before_anything_is_done() {
        Step<Runnable> bad = Step.named("pay", Runnable.class);
        assertThatThrownBy(() -> handler().once(key, bad, "10 EUR", () -> {
                    done.incrementAndGet();
                    return () -> {};
                }))
                .hasMessageStartingWith("SAGA-DSL-017");
        assertThat(done).hasValue(0);
    }

    @Test
    void who_has_no_patience_is_told_to_come_back() {
        pay(key, "10 EUR", () -> {
            assertThatThrownBy(() -> handler(Duration.ZERO).once(key, PAY, "10 EUR", () -> new Receipt("2")))
                    .isInstanceOf(OperationBusyException.class)
                    .hasMessageStartingWith("SAGA-GRD-002");
            return new Receipt("1");
        });
    }

    @Test // F028
    void who_takes_too_long_neither_frees_nor_overwrites_the_claim_of_the_next() {
        assertThatThrownBy(() -> pay(key, "10 EUR", () -> {
                    age(key, LIMIT.plusMinutes(1));
                    assertThat(pay("2")).isEqualTo(new Receipt("2"));
                    return new Receipt("1");
                }))
                .isInstanceOf(OperationLostException.class)
                .hasMessageStartingWith("SAGA-GRD-004");

        assertThat(pay("3")).isEqualTo(new Receipt("2"));
    }

    @Test // F028
    void who_takes_too_long_and_fails_does_not_free_the_claim_of_the_next() {
        GuardFixture.Planned planned = new GuardFixture.Planned();
        pay(key, "10 EUR", () -> {
            age(key, LIMIT.plusMinutes(1)); // as if this were the slow one, and had lost it to the next
            store().release(key, UUID.randomUUID());
            return new Receipt("1");
        });
        assertThat(pay("2")).isEqualTo(new Receipt("1"));
        assertThatThrownBy(() -> pay(key + 2, "10 EUR", () -> {
                    age(key + 2, LIMIT.plusMinutes(1));
                    pay(key + 2, "10 EUR", () -> new Receipt("next"));
                    throw planned;
                }))
                .isSameAs(planned);
        assertThat(pay(key + 2, "10 EUR", () -> new Receipt("3"))).isEqualTo(new Receipt("next"));
    }

    @Test
    void a_caller_that_died_keeps_others_off_until_its_limit_and_other_requests_for_longer() {
        assertThatThrownBy(() -> pay(key, "10 EUR", () -> {
                    age(key, LIMIT.plusMinutes(1));
                    assertThatThrownBy(() -> pay(key, "11 EUR", () -> new Receipt("2")))
                            .isInstanceOf(SagaRequestException.class);
                    age(key, TIME_TO_LIVE);
                    assertThat(pay(key, "11 EUR", () -> new Receipt("2"))).isEqualTo(new Receipt("2"));
                    return new Receipt("1");
                }))
                .isInstanceOf(OperationLostException.class);
    }

    @Test
    void an_answer_is_kept_for_its_time_to_live_and_not_longer() {
        pay("1");
        age(key, TIME_TO_LIVE.minusMinutes(1));
        assertThat(pay("2")).isEqualTo(new Receipt("1"));

        age(key, Duration.ofMinutes(2));
        Receipt third = pay(key, "another request", () -> {
            assertThatThrownBy(() ->
                            handler(Duration.ofMillis(1)).once(key, PAY, "another request", () -> new Receipt("4")))
                    .as("nothing of the first request is left")
                    .isInstanceOf(OperationBusyException.class);
            return new Receipt("3");
        });
        assertThat(third).isEqualTo(new Receipt("3"));
        assertThat(pay(key, "another request", () -> new Receipt("5"))).isEqualTo(new Receipt("3"));
    }

    @Test
    void what_is_answered_is_not_freed_by_its_own_caller_either() {
        UUID token = UUID.randomUUID();
        claim(token);
        assertThat(store().complete(key, token, "{}", TIME_TO_LIVE)).isTrue();

        store().release(key, token);

        assertThat(claim(UUID.randomUUID()).result()).isEqualTo("{}");
    }

    private IdempotencyRow claim(UUID token) {
        return store().claim(new IdempotencyClaim(key, "f".repeat(64), token, LIMIT, TIME_TO_LIVE));
    }

    @Test
    void only_what_is_past_its_time_to_live_is_deleted() {
        pay("1");
        pay(key + "old", "10 EUR", () -> new Receipt("1"));
        age(key + "old", TIME_TO_LIVE.plusMinutes(1));

        handler().purge();

        assertThat(pay("2")).isEqualTo(new Receipt("1"));
        assertThat(pay(key + "old", "10 EUR", () -> new Receipt("2"))).isEqualTo(new Receipt("2"));
    }

    @Test // F043
    void keys_that_look_alike_are_different_keys() {
        List<String> ends = List.of("a", "A", "a ", "\u00e4", "a\u0308");
        for (String end : ends) {
            assertThat(pay(key + end, "10 EUR", () -> new Receipt(end))).isEqualTo(new Receipt(end));
        }
        for (String end : ends) {
            assertThat(pay(key + end, "10 EUR", () -> new Receipt("another"))).isEqualTo(new Receipt(end));
        }
    }

    @ParameterizedTest // F050
    @ValueSource(ints = {0, 201, 300})
    void a_key_that_no_column_holds_is_refused_and_never_cut(int length) {
        assertThatThrownBy(() -> pay("k".repeat(length), "10 EUR", () -> new Receipt("1")))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-001");
    }
}
