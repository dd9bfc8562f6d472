package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.TypeRef;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What results may be, and what happens when they cannot be stored. */
class ResultsTest extends EngineFixture {
    static final Step<String> TEXT = Step.named("text", String.class);

    private static String megabytes(int count) {
        return "x".repeat(count << 20);
    }

    @Test
    void a_remote_result_that_is_too_large_parks_and_its_effect_counts_as_done() { // D19
        SagaInstance saga = run(define().step(TEXT)
                .action(c -> {
                    calls.add("text");
                    return megabytes(2);
                })
                .compensate((c, text) -> calls.add("undo text"))
                .step("next")
                .action(c -> calls.add("next"))
                .compensate(c -> calls.add("undo next"))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.RESULT_TOO_LARGE);
        assertThat(steps(saga)).containsEntry("text", StepStatus.SUCCEEDED);
        assertThat(calls).as("it is not called again").containsExactly("text");
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorText())
                .contains("SAGA-SER-003")
                .contains("2097154");
    }

    @Test
    void a_transactional_result_that_is_too_large_takes_its_effect_back() { // D19
        SagaInstance saga = run(define().step(TEXT)
                .transactional()
                .action(c -> {
                    calls.add("text");
                    memory.transactions().afterCommit(() -> calls.add("committed"));
                    return megabytes(2);
                })
                .compensate((c, text) -> calls.add("undo text"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("text", "text");
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorCode()).isEqualTo("SAGA-SER-003");
    }

    @Test
    void a_best_effort_result_that_is_too_large_does_not_keep_the_saga_from_its_end() { // D19
        SagaInstance saga = run(define().step("first")
                .action(c -> calls.add("first"))
                .noCompensation("nothing")
                .bestEffort(TEXT)
                .action(c -> {
                    calls.add("text");
                    return megabytes(5);
                })
                .bestEffort("last")
                .action(c -> calls.add("last " + c.findResult(TEXT)))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.reason()).isNull();
        assertThat(steps(saga)).containsEntry("text", StepStatus.SUCCEEDED);
        assertThat(saga.result(TEXT)).isEmpty();
        assertThat(calls).containsExactly("first", "text", "last Optional.empty");
        assertThat(memory.history(saga.sagaId()).get(1).entry().errorCode()).isEqualTo("SAGA-SER-003");
    }

    @Test
    void a_transactional_best_effort_result_that_is_too_large_is_given_up() { // D19
        SagaInstance saga = run(define().step("first")
                .action(c -> calls.add("first"))
                .noCompensation("nothing")
                .bestEffort(TEXT)
                .transactional()
                .action(c -> {
                    calls.add("text");
                    return megabytes(5);
                })
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(steps(saga)).containsEntry("text", StepStatus.GIVEN_UP);
        assertThat(calls).containsExactly("first", "text", "text");
    }

    static Stream<Arguments> unreadable() {
        Step<Wrapped> wrapped = Step.named("odd", Wrapped.class);
        Step<Forgetful> forgetful = Step.named("odd", Forgetful.class);
        return Stream.of(
                arguments(Step.named("odd", Cyclic.class), new Cyclic(), "SAGA-SER-001"),
                arguments(wrapped, new Wrapped(new OneWay("s", 1)), "Wrapped: it differs at \"/inner/shown\""),
                arguments(forgetful, new Forgetful(7), "Forgetful: it differs at \"/total\""),
                arguments(Step.named("odd", Base.class), new Derived("n", 1), "SAGA-SER-006"));
    }

    @ParameterizedTest
    @MethodSource("unreadable") // D17
    void a_remote_result_that_would_not_read_back_the_same_parks_and_its_effect_counts_as_done(
            Step<Object> step, Object result, String error) {
        TestNode node = node(define().step(step)
                .action(c -> {
                    calls.add("odd");
                    return result;
                })
                .compensate((c, odd) -> calls.add("undo odd " + odd))
                .build());
        UUID id = start(node);
        SagaInstance saga = end(node, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.RESULT_UNREADABLE);
        assertThat(steps(saga)).containsEntry("odd", StepStatus.SUCCEEDED);
        assertThat(memory.history(id).get(0).entry().errorText()).contains(error);
        assertThat(memory.history(id).get(0).entry().result()).isNull();
        assertThat(calls).as("it is not called again").containsExactly("odd");
    }

    @Test
    void an_operator_goes_on_without_a_result_that_would_not_read_back() {
        Step<Wrapped> step = Step.named("odd", Wrapped.class);
        TestNode node = node(define().step(step)
                .action(c -> new Wrapped(new OneWay("s", 1)))
                .compensate((c, odd) -> calls.add("undo odd"))
                .step("next")
                .action(c -> calls.add("next " + c.findResult(step)))
                .noCompensation("nothing")
                .build());
        UUID id = start(node);
        end(node, id);
        SagaAdmin.of(node.engine).retry(id, AdminRequest.by("me", "go on"));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("next Optional.empty");
    }

    @Test
    void a_transactional_result_that_would_not_read_back_takes_its_effect_back() {
        SagaInstance saga = run(define().step(Step.named("odd", Wrapped.class))
                .transactional()
                .action(c -> {
                    calls.add("odd");
                    memory.transactions().afterCommit(() -> calls.add("committed"));
                    return new Wrapped(new OneWay("s", 1));
                })
                .compensate((c, text) -> calls.add("undo odd"))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("odd", "odd");
        assertThat(memory.history(saga.sagaId()).get(0).entry().errorCode()).isEqualTo("SAGA-SER-006");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAGA-SER-001", "SAGA-SER-003", "SAGA-SER-006"})
    void what_an_action_throws_itself_says_nothing_of_its_result(String code) {
        SagaInstance saga = run(define().step(TEXT)
                .action(c -> {
                    throw new SagaSerializationException(code, "of another saga's input");
                })
                .compensate((c, text) -> calls.add("undo text"))
                .retry(Retry.none())
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("undo text");
    }

    record Wrapped(OneWay inner) {}

    public static final class OneWay {
        private final String secret;

        public OneWay(String secret, int unnamed) {
            this.secret = secret + unnamed;
        }

        public String getShown() {
            return secret;
        }
    }

    /** Its total is written, and never read. */
    public static final class Forgetful {
        private int sum;

        public Forgetful() {}

        Forgetful(int sum) {
            this.sum = sum;
        }

        public int getTotal() {
            return sum;
        }
    }

    public static class Base {
        public String name = "";
    }

    public static final class Derived extends Base {
        public int more;

        public Derived() {}

        Derived(String name, int more) {
            this.name = name;
            this.more = more;
        }
    }

    public static final class Cyclic {
        public Cyclic self = this;
    }

    record Item(String sku, BigDecimal price) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    sealed interface Paid {
        record ByCard(String digits) implements Paid {}

        record ByVoucher(BigDecimal value) implements Paid {}
    }

    @Test
    void generic_results_keep_their_types_after_a_takeover() { // F092
        Step<Map<String, List<Item>>> items = Step.named("items", new TypeRef<Map<String, List<Item>>>() {});
        Step<List<Item>> list = Step.named("list", new TypeRef<List<Item>>() {});
        Step<List<Paid>> paid = Step.named("paid", new TypeRef<List<Paid>>() {});
        Step<Paid> once = Step.named("once", Paid.class);
        Step<Optional<Paid>> perhaps = Step.named("perhaps", new TypeRef<Optional<Paid>>() {});
        Item item = new Item("s", new BigDecimal("1.10"));
        List<Paid> both = List.of(new Paid.ByCard("1111"), new Paid.ByVoucher(new BigDecimal("2.20")));
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> definition = define().step(items)
                .action(c -> Map.of("a", List.of(item)))
                .compensate((c, all) ->
                        calls.add("undo " + all.orElseThrow().get("a").get(0).price()))
                .step(list)
                .action(c -> List.of(item))
                .compensate((c, all) ->
                        calls.add("undo list " + all.orElseThrow().get(0).sku()))
                .step(paid)
                .action(c -> both)
                .compensate(
                        (c, all) -> calls.add("undo paid " + all.orElseThrow().equals(both)))
                .step(once)
                .action(c -> both.get(0))
                .compensate((c, one) -> calls.add("undo once " + one.equals(Optional.of(both.get(0)))))
                .step(perhaps)
                .action(c -> Optional.of(both.get(1)))
                .compensate((c, one) ->
                        calls.add("undo perhaps " + one.orElseThrow().equals(Optional.of(both.get(1)))))
                .step("second")
                .action(c -> {
                    if (first[0].alive()) {
                        throw first[0].killedHere();
                    }
                    for (Item one : c.result(items).get("a")) {
                        calls.add(one.sku() + " " + one.price());
                    }
                    for (Item one : c.result(list)) {
                        calls.add("list " + one.price());
                    }
                    calls.add("paid " + c.result(paid).equals(both)
                            + c.result(once).equals(both.get(0))
                            + c.result(perhaps).equals(Optional.of(both.get(1))));
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo second"))
                .build();
        first[0] = node(definition);
        UUID id = start(first[0]);
        time.runUntil(() -> !first[0].alive());
        SagaInstance saga = end(node(definition), id);
        assertThat(calls)
                .containsExactly(
                        "s 1.10",
                        "list 1.10",
                        "paid truetruetrue",
                        "undo second",
                        "undo perhaps true",
                        "undo once true",
                        "undo paid true",
                        "undo list s",
                        "undo 1.10");
        assertThat(saga.result(items).orElseThrow().get("a")).containsExactly(item);
        assertThat(saga.result(list).orElseThrow()).containsExactly(item);
        assertThat(saga.result(paid).orElseThrow()).isEqualTo(both);
    }

    enum Color {
        RED,
        GREEN
    }

    record Everything(
            Instant instant,
            LocalDate date,
            OffsetDateTime offset,
            Duration duration,
            Optional<String> some,
            Optional<String> none,
            BigDecimal decimal,
            long large,
            byte[] bytes,
            Map<Color, List<Long>> byColor,
            String odd) {}

    @Test
    void all_sorts_of_values_come_back_equal() { // F089, F034
        Map<Color, List<Long>> byColor = new EnumMap<>(Color.class);
        byColor.put(Color.GREEN, List.of(1L, Long.MAX_VALUE));
        Everything all = new Everything(
                Instant.parse("2026-03-29T01:30:00.123456789Z"),
                LocalDate.of(2026, 2, 28),
                OffsetDateTime.of(2026, 3, 1, 10, 0, 0, 0, ZoneOffset.ofHours(9)),
                Duration.ofNanos(1_234_567_890_123L),
                Optional.of("some"),
                Optional.empty(),
                new BigDecimal("1.10"),
                (1L << 53) + 1,
                new byte[] {0, -1, 127},
                byColor,
                "a\u0000b \uD800 é😀\u2028");
        Step<Everything> step = Step.named("everything", Everything.class);
        SagaInstance saga = run(define().step(step)
                .action(c -> all)
                .noCompensation("nothing")
                .step("second")
                .action(c ->
                        calls.add("" + c.result(step).byColor().get(Color.GREEN).get(1)))
                .noCompensation("nothing")
                .build());
        Everything read = saga.result(step).orElseThrow();
        assertThat(Arrays.equals(read.bytes(), all.bytes())).isTrue();
        assertThat(read).usingRecursiveComparison().isEqualTo(all);
        assertThat(calls).containsExactly(Long.toString(Long.MAX_VALUE));
        String stored = memory.history(saga.sagaId()).get(0).entry().result();
        assertThat(stored).doesNotContain("\u0000").contains("9007199254740993").contains("1.10");
    }

    static final class NotSerializable {
        public String text = "t";
    }

    @Test
    void nothing_needs_java_serialization() { // F094
        Step<NotSerializable> step = Step.named("plain", NotSerializable.class);
        SagaInstance saga = run(define().step(step)
                .action(c -> {
                    call("plain", 1);
                    return new NotSerializable();
                })
                .compensate((c, plain) -> calls.add("undo plain"))
                .step("second")
                .action(c -> {
                    throw new StepRejectedException("NO", new NotSerializable().toString());
                })
                .noCompensation("nothing")
                .build());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        memory.history(saga.sagaId())
                .forEach(row -> assertThat("" + row.entry().result()).doesNotContain("rO0", "\u00ac\u00ed"));
    }
}
