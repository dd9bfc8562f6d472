package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.StepRejectedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryTest {
    private static final Duration BASE = Duration.ofSeconds(10);
    private static final double GREATEST_DRAW = Math.nextDown(1.0);

    @Test
    void exponential_delays_double_up_to_the_greatest() {
        Retry retry = Retry.exponential(BASE).jitter(0).maxDelay(Duration.ofSeconds(65));

        assertThat(IntStream.rangeClosed(1, 5).mapToObj(n -> retry.delay(n, 0.5)))
                .containsExactly(seconds(10), seconds(20), seconds(40), seconds(65), seconds(65));
    }

    @Test
    void fixed_delays_stay_the_same() {
        Retry retry = Retry.fixed(BASE);

        assertThat(IntStream.of(1, 2, 60, Integer.MAX_VALUE).mapToObj(n -> retry.delay(n, GREATEST_DRAW)))
                .containsOnly(BASE);
    }

    // F175
    @Test
    void due_times_of_5000_failures_at_once_spread_over_the_jitter() {
        List<Duration> few = delays(Retry.exponential(BASE), 5000);
        List<Duration> many = delays(Retry.exponential(BASE).jitter(0.5), 5000);

        assertThat(spread(few)).isBetween(0.199, 0.2);
        assertThat(spread(many)).isBetween(0.499, 0.5);
        assertThat(few.stream().distinct().count()).isGreaterThan(4990);
    }

    // F175
    @Test
    void no_attempt_comes_earlier_than_asked() {
        assertThat(delays(Retry.exponential(BASE), 5000)).allMatch(delay -> delay.compareTo(BASE) >= 0);
        assertThat(delays(Retry.fixed(BASE).jitter(1), 5000)).allMatch(delay -> delay.compareTo(BASE) >= 0);
    }

    // F175
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 59, 60, 64, 1_000, 1_000_000, Integer.MAX_VALUE})
    void no_attempt_overflows(int failures) {
        Duration most = Duration.ofMinutes(5);
        Retry retry = Retry.exponential(BASE).forever().maxDelay(most);

        assertThat(retry.delay(failures, 0)).isBetween(BASE, most);
        assertThat(retry.delay(failures, GREATEST_DRAW)).isBetween(BASE, most);
    }

    // F175
    @Test
    void the_greatest_delay_includes_the_jitter_and_late_attempts_still_spread() {
        Duration most = Duration.ofMinutes(5);
        Retry retry = Retry.exponential(BASE).maxDelay(most);

        assertThat(retry.delay(60, GREATEST_DRAW)).isBetween(most.minusMillis(1), most);
        assertThat(retry.delay(60, 0)).isLessThan(most.multipliedBy(9).dividedBy(10));
    }

    @Test
    void the_longest_delays_lose_not_a_nanosecond() {
        Duration odd = Duration.ofDays(366).minusNanos(1);
        Retry retry = Retry.exponential(odd).maxDelay(odd);

        assertThat(retry.delay(1, 0)).isEqualTo(odd);
        assertThat(retry.delay(60, GREATEST_DRAW)).isEqualTo(odd);
    }

    // F176
    @Test
    void attempts_are_spent_after_exactly_as_many_failures() {
        assertThat(Retry.none().spent(1)).isTrue();
        Retry one = Retry.fixed(BASE).maxAttempts(1);
        assertThat(one.spent(0)).isFalse();
        assertThat(one.spent(1)).isTrue();
        Retry three = Retry.fixed(BASE).maxAttempts(3);
        assertThat(three.spent(2)).isFalse();
        assertThat(three.spent(3)).isTrue();
        assertThat(three.spent(4)).isTrue();
        assertThat(Retry.fixed(BASE).forever().spent(Integer.MAX_VALUE)).isFalse();
    }

    @Test
    void three_attempts_unless_said() {
        assertThat(Retry.exponential(BASE).attempts()).isEqualTo(3);
        assertThat(Retry.fixed(BASE).attempts()).isEqualTo(3);
        assertThat(Retry.fixed(BASE).spent(3)).isTrue();
        assertThat(Retry.none().attempts()).isEqualTo(1);
        assertThat(Retry.exponential(BASE).forever().attempts()).isZero();
        assertThat(Retry.none().maxAttempts(1_000_000).attempts()).isEqualTo(1_000_000);
    }

    @Test
    void rejects_the_named_types_and_their_subtypes_only() {
        Retry retry = Retry.none().rejectOn(IOException.class).rejectOn(IllegalStateException.class);

        assertThat(retry.rejects(new FileNotFoundException())).isTrue();
        assertThat(retry.rejects(new IllegalStateException())).isTrue();
        assertThat(retry.rejects(new StepRejectedException("no", "no"))).isTrue();
        assertThat(retry.rejects(new IllegalArgumentException())).isFalse();
        assertThat(Retry.none().rejects(new IOException())).isFalse();
    }

    @Test
    void retries_everything_or_what_is_named() {
        Retry retry = Retry.none().retryOn(IOException.class);

        assertThat(Retry.none().retries(new Error())).isTrue();
        assertThat(retry.retries(new FileNotFoundException())).isTrue();
        assertThat(retry.retries(new IllegalStateException())).isFalse();
    }

    @Test
    void each_verb_leaves_the_policy_as_it_is() {
        Retry retry = Retry.exponential(BASE);
        retry.maxAttempts(1)
                .jitter(0)
                .maxDelay(BASE)
                .rejectOn(IOException.class)
                .retryOn(IOException.class);

        assertThat(retry.attempts()).isEqualTo(3);
        assertThat(retry.delay(2, 0.5)).isEqualTo(Duration.ofSeconds(22));
        assertThat(retry.rejects(new IOException())).isFalse();
        assertThat(retry.retries(new Error())).isTrue();
    }

    @Test
    void the_list_of_types_is_copied() {
        @SuppressWarnings("unchecked")
        Class<? extends Throwable>[] types = new Class[] {IOException.class};
        Retry retry = Retry.none().rejectOn(types);
        types[0] = Error.class;

        assertThat(retry.rejects(new IOException())).isTrue();
    }

    static Stream<Arguments> badPolicies() {
        return Stream.of(
                bad("D9 maxAttempts(0)", "SAGA-DSL-009", () -> Retry.none().maxAttempts(0)),
                bad("D9 maxAttempts(-1)", "SAGA-DSL-009", () -> Retry.none().maxAttempts(-1)),
                bad(
                        "D9 maxAttempts(1000001)",
                        "SAGA-DSL-009",
                        () -> Retry.none().maxAttempts(1_000_001)),
                bad("D9 maxAttempts(MAX)", "SAGA-DSL-009", () -> Retry.none().maxAttempts(Integer.MAX_VALUE)),
                bad("D10 delay zero", "SAGA-DSL-010", () -> Retry.fixed(Duration.ZERO)),
                bad("D10 delay negative", "SAGA-DSL-010", () -> Retry.fixed(BASE.negated())),
                bad("D10 initial zero", "SAGA-DSL-010", () -> Retry.exponential(Duration.ZERO)),
                bad("D10 initial huge", "SAGA-DSL-010", () -> Retry.exponential(Duration.ofDays(100_000))),
                bad(
                        "D10 initial beyond nanos",
                        "SAGA-DSL-010",
                        () -> Retry.exponential(Duration.ofSeconds(Long.MAX_VALUE))),
                bad(
                        "D10 max < initial",
                        "SAGA-DSL-010",
                        () -> Retry.exponential(BASE).maxDelay(seconds(9))),
                bad("D10 max huge", "SAGA-DSL-010", () -> Retry.fixed(BASE).maxDelay(Duration.ofDays(100_000))),
                bad("D10 max zero", "SAGA-DSL-010", () -> Retry.fixed(BASE).maxDelay(Duration.ZERO)),
                bad("D10 jitter negative", "SAGA-DSL-010", () -> Retry.none().jitter(-0.1)),
                bad("D10 jitter over 1", "SAGA-DSL-010", () -> Retry.none().jitter(1.1)),
                bad("D10 jitter NaN", "SAGA-DSL-010", () -> Retry.none().jitter(Double.NaN)),
                bad("null delay", "SAGA-DSL-020", () -> Retry.fixed(null)),
                bad("null initial", "SAGA-DSL-020", () -> Retry.exponential(null)),
                bad("null maxDelay", "SAGA-DSL-020", () -> Retry.none().maxDelay(null)),
                bad("null types", "SAGA-DSL-020", () -> Retry.none().rejectOn((Class<? extends Throwable>[]) null)),
                bad("null type", "SAGA-DSL-020", () -> Retry.none().retryOn((Class<? extends Throwable>) null)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badPolicies")
    void refuses(String what, String code, ThrowingCallable policy) {
        assertThatThrownBy(policy).isInstanceOf(SagaDefinitionException.class).hasMessageStartingWith(code + ": ");
    }

    private static Arguments bad(String what, String code, ThrowingCallable policy) {
        return Arguments.of(what, code, policy);
    }

    private static List<Duration> delays(Retry retry, int howMany) {
        Random random = new Random(42);
        return random.doubles(howMany).mapToObj(draw -> retry.delay(1, draw)).toList();
    }

    /** How far apart the first and the last are, as a share of the delay that was asked for. */
    private static double spread(List<Duration> delays) {
        long first = delays.stream().mapToLong(Duration::toNanos).min().orElseThrow();
        long last = delays.stream().mapToLong(Duration::toNanos).max().orElseThrow();
        return (double) (last - first) / BASE.toNanos();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
