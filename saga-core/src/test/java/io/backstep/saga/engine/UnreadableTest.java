package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that cannot be read: each is parked as it is, and nothing else is disturbed. */
class UnreadableTest extends EngineFixture {
    /** Waits a minute after the first step, so that its row is nobody's then. */
    private SagaDefinition<Input> definition() {
        return define().step(FIRST)
                .action(c -> new Answer("a"))
                .compensate((c, answer) -> calls.add("undo first"))
                .step("second")
                .action(c -> {
                    c.result(FIRST);
                    call(c.idempotencyKey(), 1);
                })
                .compensate(c -> calls.add("undo second"))
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(2))
                .build();
    }

    static InstanceRow with(InstanceRow row, String steps, String input, int format) {
        return new InstanceRow(
                row.sagaId(),
                row.definitionId(),
                row.name(),
                row.version(),
                row.parent(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.reason(),
                steps,
                input,
                format,
                row.epoch(),
                row.seq(),
                row.owner(),
                row.dueAt(),
                row.deadline(),
                row.createdAt(),
                row.updatedAt());
    }

    private UUID waitingAndChanged(TestNode node, UnaryOperator<InstanceRow> change) {
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        assertThat(row(id).owner()).isNull();
        memory.edit(id, change);
        return id;
    }

    private void checkParked(TestNode node, UUID id, SagaReason reason) {
        InstanceRow before = row(id);
        List<UUID> good = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            good.add(start(node));
        }
        time.run(Duration.ofMinutes(3));
        InstanceRow row = row(id);
        assertThat(row.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row.reason()).isEqualTo(reason);
        assertThat(row.dueAt()).isNull();
        assertThat(row.owner()).isNull();
        assertThat(row.steps()).isEqualTo(before.steps());
        assertThat(row.input()).isEqualTo(before.input());
        assertThat(node.alerts).singleElement().satisfies(alert -> {
            assertThat(alert.code()).isEqualTo("SAGA-ALERT-001");
            assertThat(alert.reason()).isEqualTo(reason);
        });
        HistoryRow last = memory.history(id).get(memory.history(id).size() - 1);
        assertThat(last.entry().outcome()).isEqualTo(Outcome.PARKED);
        assertThat(last.entry().errorText()).isNotBlank();
        assertThat(good).allSatisfy(one -> assertThat(row(one).status()).isEqualTo(SagaStatus.COMPLETED));
        assertThat(node.client().find(id)).as("the list opens").isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "null", "[1]", "7", "{\"text\":{\"a\":1}}", "\u0001"})
    void an_input_that_cannot_be_read_parks_only_its_saga(String input) { // X1, F083, F084
        TestNode node = node(definition());
        UUID id = waitingAndChanged(node, row -> with(row, row.steps(), input, row.format()));
        checkParked(node, id, SagaReason.UNREADABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "[]",
                "{}",
                "{\"steps\":7}",
                "{\"steps\":{\"first\":[\"FOO\"],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":0,\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":-1,\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":1.5,\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":99999999999,\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":\"PENDING\",\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":null,\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",99999999999],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",1e400],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",\"x\"],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",0,0,0,0,0,9223372036854775807],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",-1],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",1.5],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\",99999999999999999999],\"second\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"EXECUTING\"],\"first\":[\"PENDING\"],\"second\":[\"PENDING\"]}}",
                "{\"turned\":\"BECAUSE\",\"steps\":{\"first\":[\"PENDING\"],\"second\":[\"PENDING\"]}}",
                "{\"turned\":7,\"steps\":{\"first\":[\"PENDING\"],\"second\":[\"PENDING\"]}}"
            })
    void steps_that_cannot_be_read_park_only_their_saga(String steps) { // X2, X6, F100
        TestNode node = node(definition());
        UUID id = waitingAndChanged(node, row -> with(row, steps, row.input(), row.format()));
        InstanceRow before = row(id);
        time.run(Duration.ofMinutes(3));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row(id).reason()).isIn(SagaReason.UNREADABLE, SagaReason.STEP_UNKNOWN);
        assertThat(row(id).steps()).isEqualTo(before.steps());
        assertThat(node.client().find(id)).as("the view opens").isPresent();
        checkNeighbours(node);
    }

    private void checkNeighbours(TestNode node) {
        UUID good = start(node);
        time.run(Duration.ofMinutes(3));
        assertThat(row(good).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"steps\":{\"first\":[\"SUCCEEDED\",0,0,0,0,1]}}",
                "{\"steps\":{\"first\":[\"SUCCEEDED\",0,0,0,0,1],\"other\":[\"PENDING\"]}}",
                "{\"steps\":{\"first\":[\"PENDING\"],\"second\":[\"PENDING\"],\"third\":[\"PENDING\"]}}"
            })
    void a_step_that_the_definition_does_not_have_parks_its_saga(String steps) { // F099, F116
        TestNode node = node(definition());
        UUID id = waitingAndChanged(node, row -> with(row, steps, row.input(), row.format()));
        checkParked(node, id, SagaReason.STEP_UNKNOWN);
    }

    @Test
    void a_compensation_that_the_definition_does_not_have_parks_its_saga() { // F116
        AtomicBoolean rejects = new AtomicBoolean(true);
        TestNode node = node(define().step(FIRST)
                .action(c -> new Answer("a"))
                .compensate((c, answer) -> always("undo first"))
                .compensationRetry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(2))
                .step("second")
                .action(c -> {
                    if (rejects.getAndSet(false)) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .noCompensation("nothing")
                .build());
        UUID id = waitingAndChanged(
                node, row -> with(row, row.steps().replace("\"first\"", "\"gone\""), row.input(), row.format()));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATING);
        checkParked(node, id, SagaReason.STEP_UNKNOWN);
        assertThat(calls).containsExactly("undo first");
    }

    @Test
    void a_newer_format_parks_its_saga() {
        TestNode node = node(definition());
        UUID id = waitingAndChanged(node, row -> with(row, row.steps(), row.input(), 99));
        checkParked(node, id, SagaReason.UNREADABLE);
    }

    @Test
    void a_result_that_cannot_be_read_parks_its_saga() {
        TestNode node = node(definition());
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();
        Step<Integer> number = Step.named("first", Integer.class);
        TestNode other = node(define().step(number)
                .action(c -> 1)
                .compensate((c, one) -> calls.add("undo first"))
                .step("second")
                .action(c -> calls.add("second"))
                .compensate(c -> calls.add("undo second"))
                .build());
        time.run(Duration.ofMinutes(2));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row(id).reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(other.alerts).hasSize(1);
        assertThat(memory.history(id).get(0).entry().result()).isEqualTo("{\"text\":\"a\"}");
        assertThat(calls).doesNotContain("second");
    }

    @Test
    void listeners_hear_of_what_is_parked_unread() { // F083
        List<String> told = new ArrayList<>();
        TestNode node = listening(
                new SagaListener() {
                    @Override
                    public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
                        told.add(before + " " + saga.status() + " " + saga.reason() + " " + saga.name() + " "
                                + saga.steps().size() + " " + age.toMinutes());
                    }
                },
                definition());
        waitingAndChanged(node, row -> with(row, row.steps(), "{", row.format()));
        waitingAndChanged(node, row -> with(row, "{", row.input(), row.format()));

        time.run(Duration.ofMinutes(2));

        assertThat(told)
                .containsExactlyInAnyOrder("RUNNING FAILED UNREADABLE test 2 1", "RUNNING FAILED UNREADABLE test 0 1");
    }

    enum Size {
        SMALL,
        LARGE
    }

    enum Inserted {
        SMALL,
        MEDIUM,
        LARGE
    }

    enum Renamed {
        SMALL,
        HUGE
    }

    enum Removed {
        SMALL
    }

    /** Waits a minute after the first step. */
    private <I extends Enum<I>, R extends Enum<R>> SagaDefinition<I> sized(Class<I> input, Class<R> result) {
        Step<R> first = Step.named("first", result);
        return Saga.define(SagaType.named("sized", input))
                .step(first)
                .action(c -> Enum.valueOf(result, c.input().name()))
                .noCompensation("a test")
                .step("second")
                .action(c -> {
                    call(c.input() + " " + c.result(first), 1);
                })
                .noCompensation("a test")
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                .build();
    }

    private UUID large() {
        TestNode node = node(sized(Size.class, Size.class));
        UUID id = node.client()
                .start(SagaType.named("sized", Size.class), Size.LARGE)
                .sagaId();
        time.run(Duration.ofSeconds(1));
        node.kill();
        calls.clear();
        return id;
    }

    @Test
    void values_of_enums_are_read_by_name() { // F100
        UUID id = large();
        assertThat(end(node(sized(Inserted.class, Inserted.class)), id).status())
                .isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("LARGE LARGE");
    }

    static Stream<Arguments> withoutLarge() {
        return Stream.of(
                Arguments.of(Renamed.class, Size.class),
                Arguments.of(Size.class, Renamed.class),
                Arguments.of(Removed.class, Size.class),
                Arguments.of(Size.class, Removed.class));
    }

    @ParameterizedTest
    @MethodSource("withoutLarge")
    <I extends Enum<I>, R extends Enum<R>> void a_value_that_an_enum_lacks_parks_its_saga(
            Class<I> input, Class<R> result) { // F100
        UUID id = large();
        node(sized(input, result));
        time.run(Duration.ofMinutes(3));

        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(row(id).reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(row(id).input()).isEqualTo("\"LARGE\"");
        assertThat(memory.history(id).get(0).entry().result()).isEqualTo("\"LARGE\"");
        assertThat(calls).isEmpty();
    }

    @Test
    void what_a_node_does_not_know_stays_as_it_is_until_a_node_knows_it() { // F085, F086
        TestNode first = node(definition());
        UUID id = start(first);
        time.run(Duration.ofSeconds(1));
        first.kill();
        InstanceRow before = row(id);
        SagaType<Input> other = SagaType.named("other", Input.class);
        TestNode stranger = node(Saga.define(other)
                .step("one")
                .action(c -> calls.add("one"))
                .noCompensation("nothing")
                .build());
        time.run(Duration.ofHours(1));
        assertThat(row(id)).isEqualTo(before);
        assertThat(stranger.client().find(id)).isPresent();
        end(node(definition()), id);
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    public record Nasty(String text) {
        static int mode;

        public Nasty {
            if (mode == 1) {
                throw new IllegalStateException("not today");
            }
            if (mode == 2) {
                throw new AssertionError("not today");
            }
            if (mode == 3) {
                throw new NoClassDefFoundError("gone");
            }
            if (mode == 4) {
                throw new StackOverflowError();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void a_constructor_that_throws_anything_parks_its_saga_and_stops_no_claim(int mode) { // F083
        SagaType<Nasty> type = SagaType.named("nasty", Nasty.class);
        SagaDefinition<Nasty> nasty = Saga.define(type)
                .step("one")
                .action(c -> call("one", 1))
                .noCompensation("nothing")
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(2))
                .build();
        TestNode node = node(definition(), nasty);
        UUID id = node.client().start(type, new Nasty("x")).sagaId();
        time.run(Duration.ofSeconds(1));
        try {
            Nasty.mode = mode;
            time.run(Duration.ofMinutes(2));
            assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
            assertThat(row(id).reason()).isEqualTo(SagaReason.UNREADABLE);
            checkNeighbours(node);
        } finally {
            Nasty.mode = 0;
        }
    }

    @Test
    void a_park_that_fails_is_tried_again_and_alerts_once() {
        TestNode node = node(definition());
        UUID id = waitingAndChanged(node, row -> with(row, row.steps(), "{", row.format()));
        time.run(Duration.ofSeconds(57));
        store.next(FaultyStore.Call.SUBMIT, FaultyStore.Fault.REFUSED_CONNECTION);
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(node.alerts).hasSize(1);
    }
}
