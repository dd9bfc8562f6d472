package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.store.HistoryEntry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever user code throws is recorded, once, and does no further harm. */
class ErrorsTest extends EngineFixture {
    private static class Odd extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Odd() {}

        Odd(Throwable cause) {
            super(null, cause, false, false);
        }
    }

    private static final class MessageThrows extends Odd {
        private static final long serialVersionUID = 1L;
        private final transient Supplier<RuntimeException> failure;
        private final transient Supplier<Error> error;

        MessageThrows(Supplier<RuntimeException> failure, Supplier<Error> error) {
            this.failure = failure;
            this.error = error;
        }

        @Override
        public String getMessage() {
            if (failure == null) {
                throw error.get();
            }
            throw failure.get();
        }
    }

    private static final class CauseThrows extends Odd {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            throw new AssertionError("no cause for you");
        }
    }

    private static Throwable cyclic() {
        IllegalStateException one = new IllegalStateException("one");
        IllegalStateException two = new IllegalStateException("two", one);
        one.initCause(two);
        return one;
    }

    private static Throwable deep() {
        Throwable cause = new IllegalStateException("innermost");
        for (int i = 0; i < 500; i++) {
            cause = new IllegalStateException("level " + i + " é".repeat(50), cause);
        }
        return cause;
    }

    private static Throwable bottomless() {
        Throwable cause = new IllegalStateException("innermost");
        for (int i = 0; i < 100_000; i++) {
            cause = new Odd(cause);
        }
        return cause;
    }

    private static Throwable tall() {
        IllegalStateException tall = new IllegalStateException("tall");
        StackTraceElement[] frames = new StackTraceElement[100_000];
        Arrays.fill(frames, new StackTraceElement("a.b.Deep", "call", "Deep.java", 7));
        tall.setStackTrace(frames);
        return tall;
    }

    static Stream<Named<Throwable>> thrown() {
        return Stream.of(
                Named.of("no message", new IllegalStateException()),
                Named.of("error", new AssertionError("wrong")),
                Named.of("out of memory", new OutOfMemoryError("pretended")),
                Named.of("stack overflow", new StackOverflowError()),
                Named.of("null", new NullPointerException("pretended")),
                Named.of("class not found", new ClassNotFoundException("a.B")),
                Named.of("class gone", new NoClassDefFoundError("a/B")),
                Named.of("class not set up", new ExceptionInInitializerError("pretended")),
                Named.of("thread death", new ThreadDeath()),
                Named.of("interrupted", new InterruptedException("pretended")),
                Named.of("message throws", new MessageThrows(() -> new IllegalStateException("no"), () -> null)),
                Named.of("message throws an error", new MessageThrows(null, () -> new AssertionError("no"))),
                Named.of("message cannot be linked", new MessageThrows(null, () -> new NoClassDefFoundError("no"))),
                Named.of("cause throws", new CauseThrows()),
                Named.of("cyclic", cyclic()),
                Named.of("deep", deep()),
                Named.of("bottomless", bottomless()),
                Named.of("with 100,000 frames", tall()),
                Named.of("long", new IllegalStateException("x" + "é😀".repeat(50_000))),
                Named.of("long and deep", new IllegalStateException("é😀".repeat(34_000), deep())),
                Named.of("long, cut inside a character", new IllegalStateException("xx" + "é😀".repeat(50_000))),
                Named.of("odd characters", new IllegalStateException("a\u0000b \uD800 c \uDC00\uD83D")));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void whatever_is_thrown_is_recorded(Throwable failure) { // D21, F031, F034, F122
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    calls.add("one");
                    sneak(failure);
                })
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).containsExactly("one", "one", "undo one");
        assertThat(time.elapsed()).as("no attempt was hung").isLessThan(Duration.ofSeconds(2));
        HistoryEntry entry = memory.history(saga.sagaId()).get(0).entry();
        assertThat(entry.errorCode()).isEqualTo(failure.getClass().getName());
        checkStorable(entry.errorText(), 4000);
        assertThat(entry.errorText()).startsWith(failure.getClass().getName());
    }

    private enum Place {
        TRANSACTION,
        COMPENSATION,
        CONDITION,
        PROBE
    }

    static Stream<Arguments> thrownElsewhere() {
        return Stream.of(Place.values()).flatMap(place -> thrown().map(failure -> Arguments.of(place, failure)));
    }

    @ParameterizedTest // D21, F122
    @MethodSource("thrownElsewhere")
    void whatever_is_thrown_elsewhere_is_recorded_too(Place place, Throwable failure) {
        Retry twice = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2);
        SagaStage<Input> saga = define().step("before").action(c -> {}).compensate(c -> calls.add("undo before"));
        SagaInstance end = run(
                switch (place) {
                    case TRANSACTION ->
                        saga.step("one")
                                .transactional()
                                .action(c -> sneak(failure))
                                .compensate(c -> {})
                                .retry(twice)
                                .build();
                    case COMPENSATION ->
                        saga.step("one")
                                .action(c -> {})
                                .compensate(c -> sneak(failure))
                                .compensationRetry(twice)
                                .step("two")
                                .action(c -> sneak(new StepRejectedException("NO", "no")))
                                .compensate(c -> {})
                                .build();
                    case CONDITION ->
                        saga.step("one")
                                .onlyIf(c -> {
                                    sneak(failure);
                                    return true;
                                })
                                .action(c -> {})
                                .compensate(c -> {})
                                .retry(twice)
                                .build();
                    case PROBE ->
                        saga.step("one")
                                .action(c -> sneak(new IllegalStateException("in doubt")))
                                .probeOutcome(c -> {
                                    sneak(failure);
                                    return Probe.unknown();
                                })
                                .compensate(c -> {})
                                .retry(twice)
                                .build();
                });

        assertThat(end.reason())
                .isEqualTo(
                        place == Place.COMPENSATION
                                ? SagaReason.COMPENSATION_EXHAUSTED
                                : SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).containsExactly("undo before");
        assertThat(memory.history(end.sagaId()))
                .filteredOn(
                        line -> failure.getClass().getName().equals(line.entry().errorCode()))
                .as("each attempt")
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(line -> checkStorable(line.entry().errorText(), 4000));
        assertThat(time.elapsed()).as("no attempt was hung").isLessThan(Duration.ofSeconds(20));
    }

    private static void checkStorable(String text, int most) {
        assertThat(text).isNotNull();
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(most);
        assertThat(text.codePoints().noneMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE))
                .isTrue();
        assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                .isEqualTo(text);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void a_real_stack_overflow_is_a_failure_like_any_other() {
        SagaInstance saga = run(define().step("one")
                .action(c -> endless(0))
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.none())
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("undo one");
    }

    private static int endless(int depth) {
        return depth < 0 ? 0 : endless(depth + 1) + 1;
    }

    @Test
    void the_causes_are_seen() { // F184
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    throw new IllegalStateException("outer", new IllegalArgumentException("inner"));
                })
                .noCompensation("nothing")
                .retry(Retry.none())
                .build());
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorText())
                .isEqualTo("java.lang.IllegalStateException: outer; caused by"
                        + " java.lang.IllegalArgumentException: inner");
    }

    @ParameterizedTest
    @ValueSource(ints = {199, 200, 5_000})
    void the_code_of_a_rejection_is_cut_between_characters(int before) {
        String code = "x".repeat(before) + "😀" + "\u0000";
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    throw new StepRejectedException(code, "no\u0000");
                })
                .noCompensation("nothing")
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        HistoryEntry entry = memory.history(saga.sagaId()).get(0).entry();
        checkStorable(entry.errorCode(), 800);
        assertThat(entry.errorCode()).hasSizeBetween(199, 200).startsWith("xxx");
        checkStorable(entry.errorText(), 4000);
    }

    @Test
    @SuppressWarnings("NullAway")
    void a_rejection_without_a_code_is_still_a_rejection() {
        SagaInstance saga = run(define().step("one")
                .action(c -> {
                    throw new StepRejectedException(null, null);
                })
                .noCompensation("nothing")
                .build());
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
    }

    @Test
    void a_failed_transaction_is_recorded_with_what_user_code_threw() {
        SagaInstance saga = run(define().step("one")
                .transactional()
                .action(c -> {
                    throw new MessageThrows(null, () -> new AssertionError("no"));
                })
                .noCompensation("nothing")
                .retry(Retry.none())
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorCode()).isEqualTo(MessageThrows.class.getName());
    }
}
