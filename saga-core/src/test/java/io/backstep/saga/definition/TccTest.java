package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.Phase;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps that are tried, then confirmed or cancelled: how they are defined, and what the definition tells. */
class TccTest {
    private static final SagaType<String> TYPE = SagaType.named("trip", String.class);
    private static final Step<Integer> SEAT = Step.named("seat", Integer.class);

    private final List<String> calls = new ArrayList<>();

    private static TccTuningStage<String> tcc(SagaStage<String> saga, String name) {
        return saga.tcc(name).tryAction(c -> {}).confirm(c -> {}).cancel(c -> {});
    }

    private SagaStage<String> seat(SagaStage<String> saga) {
        return saga.tcc(SEAT)
                .tryAction(c -> 7)
                .confirm((c, seat) -> calls.add("confirm " + seat))
                .cancel((c, seat) -> calls.add("cancel " + seat));
    }

    @Test
    void a_step_has_its_try_its_confirm_and_its_cancel() throws Exception {
        StepDefinition seat = seat(Saga.define(TYPE)).build().steps().get(0);
        StepContext<Object> context = GivenContext.of("seat", "in");
        assertThat(seat.kind()).isEqualTo(StepKind.COMPENSATABLE);
        assertThat(seat.resultType()).isEqualTo(Integer.class);
        assertThat(seat.action().run(context)).isEqualTo(7);
        seat.confirming().confirmation().run(context, 7);
        seat.compensation().run(context, Optional.empty());
        assertThat(calls).containsExactly("confirm 7", "cancel Optional.empty");
    }

    @Test
    void a_confirm_is_tried_for_ever_unless_said() {
        StepDefinition step = tcc(Saga.define(TYPE), "a").build().steps().get(0);
        assertThat(step.confirming().retry().describe())
                .isEqualTo(Retry.exponential(Duration.ofMillis(200)).forever().describe());
        assertThat(step.confirming().timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(step.retry().describe().attempts()).isEqualTo(3);
        StepDefinition tuned = tcc(Saga.define(TYPE), "a")
                .confirmRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(4))
                .confirmTimeout(Duration.ofHours(2))
                .timeout(Duration.ofSeconds(3))
                .compensationTimeout(Duration.ofSeconds(4))
                .deadline(Duration.ofMinutes(1))
                .build()
                .steps()
                .get(0);
        assertThat(tuned.retry(Phase.CONFIRM).describe().attempts()).isEqualTo(4);
        assertThat(tuned.retry(Phase.ACTION)).isSameAs(tuned.retry());
        assertThat(tuned.retry(Phase.COMPENSATION)).isSameAs(tuned.compensationRetry());
        assertThat(tuned.timeout(Phase.CONFIRM)).as("not bound by the deadline").isEqualTo(Duration.ofHours(2));
        assertThat(tuned.timeout(Phase.PROBE)).isEqualTo(Duration.ofSeconds(3));
        assertThat(tuned.timeout(Phase.COMPENSATION)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void tries_of_pure_tcc_run_side_by_side() {
        SagaStage<String> stage =
                tcc(seat(Tcc.define(TYPE)), "room").bestEffort("mail").action(c -> {});
        SagaDefinition<String> trip = tcc(
                        stage.tcc("car")
                                .after("room")
                                .tryAction(c -> {})
                                .confirm(c -> {})
                                .cancel(c -> {}),
                        "boat")
                .build();
        assertThat(trip.steps())
                .extracting(StepDefinition::name, StepDefinition::waitsFor)
                .containsExactly(
                        tuple("seat", List.of()),
                        tuple("room", List.of()),
                        tuple("mail", List.of("seat", "room")),
                        tuple("car", List.of("room")),
                        tuple("boat", List.of()));
    }

    @Test
    void in_a_saga_they_wait_as_every_step_does() {
        assertThat(tcc(seat(Saga.define(TYPE)), "room").build().steps().get(1).waitsFor())
                .containsExactly("seat");
    }

    @Test
    void the_definition_tells_of_the_confirm() {
        SagaDefinition<String> trip =
                seat(Tcc.define(TYPE)).bestEffort("mail").action(c -> {}).build();
        assertThat(trip.fingerprint()).isEqualTo("seat COMPENSATABLE result confirmed\nmail BEST_EFFORT after seat\n");
        StepDescription seat = trip.describe().steps().get(0);
        assertThat(seat.confirm().timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(seat.confirm().retry().attempts()).as("for ever").isNull();
        assertThat(trip.describe().steps().get(1).confirm()).isNull();
        assertThat(trip.describe().json()).containsOnlyOnce("\"confirm\": {");
        assertThat(trip.diagram()).isEqualTo("""
                flowchart TD
                    started(["trip v1"])
                    s0["seat<br/>try"]
                    s1>"mail<br/>best effort"]
                    completed(["completed"])
                    started --> s0
                    s0 --> s1
                    s1 --> completed
                    undo_s0["cancel seat"]
                    s0 -. cancel .-> undo_s0
                    confirm_s0["confirm seat"]
                    s0 -. confirm .-> confirm_s0
                """);
    }

    @Test
    void a_confirm_more_or_less_is_another_saga() {
        SagaDefinition<String> tcc = tcc(Saga.define(TYPE), "a").build();
        SagaDefinition<String> plain =
                Saga.define(TYPE).step("a").action(c -> {}).compensate(c -> {}).build();
        assertThat(tcc.differences(plain.fingerprint()))
                .containsExactly("a was changed from COMPENSATABLE to COMPENSATABLE confirmed");
        assertThatThrownBy(() -> tcc.withSteps(step -> step.confirming(null)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(tcc.withSteps(step -> step.confirming(step.confirming())).describe())
                .isEqualTo(tcc.describe());
    }

    static Stream<Arguments> bad() {
        SagaType<Integer> parent = SagaType.named("parent", Integer.class);
        return Stream.of(
                Arguments.of(
                        "after the pivot",
                        "SAGA-DSL-024",
                        (ThrowingCallable)
                                () -> tcc(Saga.define(TYPE).pivot("p").action(c -> {}), "a")
                                        .build(),
                        "step a of saga trip v1 is a TCC step"),
                Arguments.of(
                        "beside the pivot",
                        "SAGA-DSL-033",
                        (ThrowingCallable) () -> tcc(Saga.define(TYPE), "a")
                                .pivot("p")
                                .afterStart()
                                .action(c -> {})
                                .build(),
                        "step p of"),
                Arguments.of(
                        "not complete",
                        "SAGA-DSL-043",
                        (ThrowingCallable) () -> {
                            SagaStage<String> saga = Saga.define(TYPE);
                            saga.tcc("a").tryAction(c -> {}).confirm(c -> {});
                            saga.build();
                        },
                        "cancel(...)"),
                Arguments.of(
                        "no try",
                        "SAGA-DSL-043",
                        (ThrowingCallable) () -> {
                            SagaStage<String> saga = Tcc.define(TYPE);
                            saga.tcc("a");
                            saga.build();
                        },
                        "tryAction(...)"),
                Arguments.of(
                        "confirmed twice",
                        "SAGA-DSL-030",
                        (ThrowingCallable) () -> {
                            VoidConfirmStage<String> tried =
                                    Saga.define(TYPE).tcc("a").tryAction(c -> {});
                            tried.confirm(c -> {});
                            tried.confirm(c -> {});
                        },
                        "a second confirm"),
                Arguments.of(
                        "no time to confirm",
                        "SAGA-DSL-011",
                        (ThrowingCallable) () -> tcc(Saga.define(TYPE), "a")
                                .confirmTimeout(Duration.ZERO)
                                .build(),
                        "confirmTimeout PT0S"),
                Arguments.of(
                        "no confirm",
                        "SAGA-DSL-020",
                        (ThrowingCallable) () ->
                                Saga.define(TYPE).tcc("a").tryAction(c -> {}).confirm(null),
                        "confirm(confirmation)"),
                Arguments.of(
                        "a child that would have to be undone",
                        "SAGA-DSL-042",
                        (ThrowingCallable) () -> Saga.define(parent)
                                .step("child")
                                .startSaga(tcc(Saga.define(TYPE), "a").build(), c -> "in")
                                .build(),
                        "has a pivot or a TCC step"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bad")
    void refuses(String what, String code, ThrowingCallable defining, String shown) {
        assertThatThrownBy(defining)
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(shown);
    }
}
