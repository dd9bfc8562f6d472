package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BadDefinitionTest {
    private static final SagaType<String> TYPE = SagaType.named("bad", String.class);

    // D1, D2
    static Stream<Arguments> badNames() {
        return Stream.of(
                Arguments.of("D1 null", null, "SAGA-DSL-001", "needs a name"),
                Arguments.of("D1 empty", "", "SAGA-DSL-001", "needs a name"),
                Arguments.of("D1 blank", "  ", "SAGA-DSL-001", "needs a name"),
                Arguments.of("D2 long", "x".repeat(300), "SAGA-DSL-002", "\"" + "x".repeat(64) + "...\""),
                Arguments.of("D2 101", "x".repeat(101), "SAGA-DSL-002", "allowed are 1 to 100"),
                Arguments.of("D2 newline", "a\nb", "SAGA-DSL-002", "\"a\\u000ab\""),
                Arguments.of("D2 newline at the end", "a\n", "SAGA-DSL-002", "\"a\\u000a\""),
                Arguments.of("D2 slash", "a/b", "SAGA-DSL-002", "\"a/b\""),
                Arguments.of("D2 emoji", "\uD83D\uDE00", "SAGA-DSL-002", "\"\uD83D\uDE00\""),
                Arguments.of("D2 U+0000", "a\u0000", "SAGA-DSL-002", "\"a\\u0000\""),
                Arguments.of("D2 umlaut", "\u00E4", "SAGA-DSL-002", "allowed"),
                Arguments.of("D2 colon", "a:b", "SAGA-DSL-002", "allowed"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badNames")
    void refuses_the_name(String what, String name, String code, String shown) {
        assertRefused(code, () -> SagaType.named(name, String.class), "saga", shown);
        assertRefused(code, () -> Step.named(name, String.class), "step", shown);
        assertRefused(code, () -> Saga.define(TYPE).step(name), "step of saga bad v1", shown);
        assertRefused(code, () -> Saga.define(TYPE).tcc(name), "step of saga bad v1", shown);
        assertRefused(code, () -> Saga.define(TYPE).pivot(name), "step of saga bad v1", shown);
        assertRefused(code, () -> Saga.define(TYPE).retriable(name), "step of saga bad v1", shown);
        assertRefused(code, () -> Saga.define(TYPE).bestEffort(name), "step of saga bad v1", shown);
        assertRefused(code, () -> Saga.define(TYPE).delay(name, Duration.ofDays(1)), "step of saga bad v1", shown);
    }

    static Stream<Arguments> badDefinitions() {
        return Stream.of(
                bad(
                        "D5 same name",
                        "SAGA-DSL-005",
                        done("x").step("x").action(c -> {}).noCompensation("why"),
                        "step x of"),
                bad("D5 case only", "SAGA-DSL-005", done("x").pivot("X").action(c -> {}), "step X of saga bad v1"),
                bad("D6 no action", "SAGA-DSL-006", halfDone(s -> s.step("x")), "step x of saga bad v1", "action(...)"),
                bad("D6 pivot without action", "SAGA-DSL-006", halfDone(s -> s.pivot("x")), "step x of"),
                bad("D6 best effort without action", "SAGA-DSL-006", halfDone(s -> s.bestEffort("x")), "step x of"),
                bad(
                        "D6 transactional only",
                        "SAGA-DSL-006",
                        halfDone(s -> s.step("x").transactional()),
                        "step x of"),
                bad(
                        "D7 no compensation",
                        "SAGA-DSL-007",
                        halfDone(s -> s.step("x").action(c -> {})),
                        "step x of saga bad v1",
                        "compensate(...)",
                        "noCompensation(\"why\")",
                        "pivot",
                        "retriable",
                        "bestEffort"),
                bad("D11 timeout zero", "SAGA-DSL-011", done("x").timeout(Duration.ZERO), "step x of", "PT0S"),
                bad("D11 timeout negative", "SAGA-DSL-011", done("x").timeout(Duration.ofSeconds(-1)), "PT-1S"),
                bad("D11 timeout huge", "SAGA-DSL-011", done("x").timeout(Duration.ofSeconds(Long.MAX_VALUE)), "366"),
                bad(
                        "D11 timeout over the deadline",
                        "SAGA-DSL-011",
                        done("x").timeout(Duration.ofMillis(1001)).deadline(Duration.ofSeconds(1)),
                        "PT1.001S",
                        "PT1S"),
                bad(
                        "D11 pivot's timeout over the deadline",
                        "SAGA-DSL-011",
                        Saga.define(TYPE)
                                .deadline(Duration.ofSeconds(1))
                                .pivot("p")
                                .action(c -> {})
                                .timeout(Duration.ofSeconds(2)),
                        "step p of"),
                bad(
                        "D11 compensation timeout zero",
                        "SAGA-DSL-011",
                        undone("x").compensationTimeout(Duration.ZERO),
                        "step x of",
                        "compensationTimeout PT0S"),
                bad(
                        "D11 wait zero",
                        "SAGA-DSL-011",
                        Saga.define(TYPE).awaitSignal(Step.named("x", String.class), Duration.ZERO),
                        "step x of saga bad v1 has timeout PT0S"),
                bad(
                        "D11 wait huge",
                        "SAGA-DSL-011",
                        Saga.define(TYPE).awaitSignal(Step.named("x", String.class), Duration.ofDays(367)),
                        "366"),
                bad(
                        "D11 wait over the deadline",
                        "SAGA-DSL-011",
                        Saga.define(TYPE)
                                .awaitSignal(Step.named("x", String.class), Duration.ofSeconds(2))
                                .deadline(Duration.ofSeconds(1)),
                        "step x of saga bad v1 has timeout PT2S, longer than the saga's deadline of PT1S"),
                bad(
                        "D11 delay negative",
                        "SAGA-DSL-011",
                        Saga.define(TYPE).delay("x", Duration.ofSeconds(-1)),
                        "step x of saga bad v1 has delay PT-1S"),
                bad(
                        "D11 delay over the deadline",
                        "SAGA-DSL-011",
                        Saga.define(TYPE).delay("x", Duration.ofSeconds(2)).deadline(Duration.ofSeconds(1)),
                        "has delay PT2S"),
                bad(
                        "D17 signal Object",
                        "SAGA-DSL-017",
                        Saga.define(TYPE).awaitSignal(Step.named("x", Object.class), Duration.ofDays(1)),
                        "step x of saga bad v1 has as its result java.lang.Object"),
                bad(
                        "D5 wait with the name of a step",
                        "SAGA-DSL-005",
                        done("x").delay("X", Duration.ofDays(1)),
                        "step X of saga bad v1"),
                bad(
                        "rejectOn String",
                        "SAGA-DSL-021",
                        done("x").rejectOn(String.class),
                        "step x of",
                        "java.lang.String"),
                bad("rejectOn one of two", "SAGA-DSL-021", done("x").rejectOn(Error.class, int.class), "int"),
                bad("rejectOn nothing", "SAGA-DSL-021", done("x").rejectOn(), "at least one"),
                bad("rejectOn null among others", "SAGA-DSL-021", done("x").rejectOn(Error.class, null), "null"),
                bad("reason empty", "SAGA-DSL-022", because(""), "step x of", "1 to 500"),
                bad("reason blank", "SAGA-DSL-022", because(" \n"), "\" \\u000a\""),
                bad("reason long", "SAGA-DSL-022", because("y".repeat(501)), "501 characters"),
                bad(
                        "two pivots",
                        "SAGA-DSL-023",
                        done("x").pivot("p").action(c -> {}).pivot("q").action(c -> {}),
                        "step q of",
                        "after p"),
                bad(
                        "compensatable after the pivot",
                        "SAGA-DSL-024",
                        Saga.define(TYPE)
                                .pivot("p")
                                .action(c -> {})
                                .step("x")
                                .action(c -> {})
                                .compensate(c -> {}),
                        "step x of saga bad v1",
                        "pivot p"),
                bad(
                        "retriable without a pivot",
                        "SAGA-DSL-025",
                        done("x").retriable("r").action(c -> {}),
                        "step r of"),
                bad(
                        "retriable before the pivot",
                        "SAGA-DSL-025",
                        Saga.define(TYPE)
                                .retriable("r")
                                .action(c -> {})
                                .pivot("p")
                                .action(c -> {}),
                        "step r of"),
                bad("no step", "SAGA-DSL-026", Saga.define(TYPE).version(3), "saga bad v3"),
                bad("101 steps", "SAGA-DSL-027", steps(101), "101 steps"),
                bad("version 0", "SAGA-DSL-028", done("x").version(0), "version 0"),
                bad("version negative", "SAGA-DSL-028", done("x").version(Integer.MIN_VALUE), "1 or more"),
                bad("deadline zero", "SAGA-DSL-029", done("x").deadline(Duration.ZERO), "saga bad v1", "PT0S"),
                bad("deadline negative", "SAGA-DSL-029", done("x").deadline(Duration.ofDays(-1)), "366 days"),
                bad(
                        "deadline long",
                        "SAGA-DSL-029",
                        done("x").deadline(Duration.ofDays(366).plusNanos(1)),
                        "366 days"),
                bad(
                        "D17 input Object",
                        "SAGA-DSL-017",
                        ended(Saga.define(SagaType.named("bad", Object.class))),
                        "saga bad v1 has as its input"),
                bad("D17 input raw", "SAGA-DSL-017", ended(Saga.define(SagaType.named("bad", List.class))), "List"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badDefinitions")
    void build_refuses(String what, String code, SagaStage<?> saga, String[] shown) {
        assertRefused(code, saga::build, shown);
    }

    static Stream<Arguments> badResults() {
        return Stream.of(
                Arguments.of("D17 Object", Step.named("x", Object.class), "java.lang.Object"),
                Arguments.of("D17 stream", Step.named("x", InputStream.class), "java.io.InputStream"),
                Arguments.of("D17 java stream", Step.named("x", new TypeRef<Stream<String>>() {}), "Stream"),
                Arguments.of("D17 primitive", Step.named("x", int.class), "int"),
                Arguments.of("D17 void", Step.named("x", void.class), "void"),
                Arguments.of("D17 raw", Step.named("x", Map.class), "java.util.Map"),
                Arguments.of("D17 raw in an array", Step.named("x", List[].class), "java.util.List"),
                Arguments.of("D17 wildcard", Step.named("x", new TypeRef<List<?>>() {}), "?"),
                Arguments.of("D17 bounded", Step.named("x", new TypeRef<List<? extends Number>>() {}), "? extends"),
                Arguments.of("D17 deep", Step.named("x", new TypeRef<Map<String, List<InputStream>>>() {}), "InputStr"),
                Arguments.of("D17 generic array", Step.named("x", new TypeRef<List<?>[]>() {}), "?"),
                Arguments.of(
                        "D17 inner class", Step.named("x", Inner.class), "BadDefinitionTest$Inner, an inner class"),
                Arguments.of(
                        "D17 field", Step.named("x", Reading.class), "BadDefinitionTest$Reading.from, a java.io.Inp"),
                Arguments.of(
                        "D17 field of a superclass", Step.named("x", Heir.class), "Heir.stream, a java.io.InputStream"),
                Arguments.of(
                        "D17 deep field", Step.named("x", Shelf.class), "Shelf.readings.from, a java.io.InputStream"),
                Arguments.of("D17 list of inner", Step.named("x", new TypeRef<List<Inner>>() {}), "an inner class"),
                Arguments.of("D17 type variable", Step.named("x", BadDefinitionTest.<String>variable()), "T"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badResults")
    void build_refuses_the_result_of(String what, Step<?> step, String shown) {
        assertRefused("SAGA-DSL-017", pivotOf(step)::build, "step x of saga bad v1 has as its result", shown);
    }

    /** Has it from its superclass. */
    static class Heir extends Testator {}

    /** Holds what cannot be stored. */
    static class Testator {
        InputStream stream = InputStream.nullInputStream();
    }

    /** Cannot be made without its test. */
    class Inner {}

    record Reading(String title, InputStream from) {}

    record Shelf(int number, Map<String, List<Reading>> readings) {}

    static final class Tree {
        private final List<Tree> children = List.of();
        private transient InputStream source;
    }

    static Stream<Step<?>> goodResults() {
        return Stream.of(
                Step.named("x", Tree.class),
                Step.named("x", Integer.class),
                Step.named("x", int[].class),
                Step.named("x", Thread.State.class),
                Step.named("x", new TypeRef<Map<String, Object>>() {}),
                Step.named("x", new TypeRef<List<String>[]>() {}),
                Step.named("x", new TypeRef<Optional<List<Duration>>>() {}));
    }

    @ParameterizedTest
    @MethodSource("goodResults")
    void build_takes_the_result_of(Step<?> step) {
        assertThat(pivotOf(step).build().steps()).hasSize(1);
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                nothing("input type", () -> SagaType.named("x", (Class<?>) null), "saga x"),
                nothing("input type", () -> SagaType.named("x", (TypeRef<?>) null), "saga x"),
                nothing("result type", () -> Step.named("x", (Class<?>) null), "step x"),
                nothing("result type", () -> Step.named("x", (TypeRef<?>) null), "step x"),
                nothing("step", () -> Saga.define(TYPE).step((Step<?>) null), "saga bad v1"),
                nothing("pivot", () -> Saga.define(TYPE).pivot((Step<?>) null), "saga bad v1"),
                nothing("retriable", () -> Saga.define(TYPE).retriable((Step<?>) null), "saga bad v1"),
                nothing("best effort", () -> Saga.define(TYPE).bestEffort((Step<?>) null), "saga bad v1"),
                nothing("deadline", () -> Saga.define(TYPE).deadline(null), "saga bad v1 has null in deadline"),
                nothing("action", () -> Saga.define(TYPE).step("x").action(null), "step x of saga bad v1", "action"),
                nothing(
                        "typed action",
                        () -> Saga.define(TYPE)
                                .pivot(Step.named("x", String.class))
                                .action(null),
                        "step x of"),
                nothing(
                        "compensation",
                        () -> Saga.define(TYPE).step("x").action(c -> {}).compensate(null),
                        "step x"),
                nothing("typed compensation", () -> typed().compensate(null), "step x of", "compensate"),
                nothing("reason", () -> typed().noCompensation(null), "step x of", "noCompensation(why)"),
                nothing("retry", () -> done("x").retry(null), "step x of", "retry(policy)"),
                nothing("timeout", () -> done("x").timeout(null), "step x of", "timeout(longest)"),
                nothing("rejectOn", () -> done("x").rejectOn((Class<?>[]) null), "step x of", "rejectOn(types)"),
                nothing("compensationRetry", () -> undone("x").compensationRetry(null), "step x of"),
                nothing("compensationTimeout", () -> undone("x").compensationTimeout(null), "step x of"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nulls")
    void refuses_null_for(String what, ThrowingCallable verb, String[] shown) {
        assertRefused("SAGA-DSL-020", verb, shown);
    }

    // D1
    @Test
    void refuses_a_saga_of_no_type() {
        assertRefused("SAGA-DSL-001", () -> Saga.define(null), "a saga needs a name");
        assertRefused("SAGA-DSL-001", () -> Tcc.define(null), "a saga needs a name");
    }

    @Test
    void one_message_lists_all_faults() {
        SagaStage<String> saga =
                done("x").timeout(Duration.ZERO).rejectOn(String.class).version(0);

        assertThatThrownBy(saga::build)
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageStartingWith("SAGA-DSL-028: saga bad v0 has version 0")
                .hasMessageContaining("\nalso SAGA-DSL-011: step x of saga bad v0 has timeout")
                .hasMessageContaining("\nalso SAGA-DSL-021: step x of saga bad v0 says rejectOn(java.lang.String)");
    }

    @Test
    void a_fault_may_be_mended_before_it_is_built() {
        TuningStage<String> saga = done("x").timeout(Duration.ZERO);
        assertThatThrownBy(saga::build).hasMessageContaining("SAGA-DSL-011");

        assertThat(saga.timeout(Duration.ofSeconds(1)).build().steps()).hasSize(1);
    }

    @Test
    void the_bounds_themselves_are_allowed() {
        Duration longest = Duration.ofDays(366);
        SagaDefinition<String> saga = steps(98)
                .step("x")
                .action(c -> {})
                .noCompensation("y".repeat(500))
                .timeout(longest)
                .pivot("x".repeat(100))
                .action(c -> {})
                .timeout(Duration.ofNanos(1))
                .deadline(longest)
                .version(Integer.MAX_VALUE)
                .build();

        assertThat(saga.steps()).hasSize(100);
    }

    @Test
    void only_a_timeout_that_was_given_is_compared_with_the_deadline() {
        assertThat(done("x")
                        .deadline(Duration.ofSeconds(1))
                        .build()
                        .steps()
                        .get(0)
                        .timeout())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void what_comes_after_the_decision_may_take_longer_than_the_deadline() {
        SagaDefinition<String> saga = Saga.define(TYPE)
                .pivot("p")
                .action(c -> {})
                .retriable("r")
                .action(c -> {})
                .timeout(Duration.ofHours(1))
                .bestEffort("b")
                .action(c -> {})
                .timeout(Duration.ofHours(1))
                .deadline(Duration.ofMinutes(1))
                .build();

        assertThat(saga.steps()).hasSize(3);
    }

    private static void assertRefused(String code, ThrowingCallable verb, String... shown) {
        assertThatThrownBy(verb)
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessageStartingWith(code + ": ")
                .hasMessageContainingAll(shown);
    }

    private static Arguments bad(String what, String code, SagaStage<?> saga, String... shown) {
        return Arguments.of(what, code, saga, shown);
    }

    private static Arguments nothing(String what, ThrowingCallable verb, String... shown) {
        return Arguments.of(what, verb, shown);
    }

    private static TuningStage<String> done(String name) {
        return Saga.define(TYPE).step(name).action(c -> {}).noCompensation("a test");
    }

    private static CompensationTuningStage<String> undone(String name) {
        return Saga.define(TYPE).step(name).action(c -> {}).compensate(c -> {});
    }

    private static CompensationStage<String, String> typed() {
        return Saga.define(TYPE).step(Step.named("x", String.class)).action(c -> "");
    }

    private static TuningStage<String> because(String why) {
        return Saga.define(TYPE).step("x").action(c -> {}).noCompensation(why);
    }

    private static <R> SagaStage<String> pivotOf(Step<R> step) {
        return Saga.define(TYPE).pivot(step).action(c -> null);
    }

    private static SagaStage<?> ended(SagaStage<?> saga) {
        return saga.pivot("p").action(c -> {});
    }

    private static SagaStage<String> steps(int howMany) {
        SagaStage<String> saga = Saga.define(TYPE);
        for (int i = 0; i < howMany; i++) {
            saga = saga.step("s" + i).action(c -> {}).noCompensation("a test");
        }
        return saga;
    }

    private static SagaStage<String> halfDone(Consumer<SagaStage<String>> verbs) {
        SagaStage<String> saga = Saga.define(TYPE);
        verbs.accept(saga);
        return saga;
    }

    private static <T> TypeRef<T> variable() {
        return new TypeRef<T>() {};
    }
}
