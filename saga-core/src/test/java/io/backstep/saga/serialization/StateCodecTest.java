package io.backstep.saga.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Question;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The step states of a saga to text and back. */
class StateCodecTest {
    private static final SagaDefinition<String> TWO = Saga.define(SagaType.named("coded", String.class))
            .step("one")
            .action(c -> {})
            .noCompensation("nothing")
            .step("two")
            .action(c -> {})
            .noCompensation("nothing")
            .build();

    private final StateCodec codec = new StateCodec(new Json());

    private SagaState through(SagaState state) {
        return codec.read(TWO, state.status(), state.reason(), state.deadline(), codec.write(TWO, state));
    }

    private static SagaState running(StepState one, StepState two) {
        return new SagaState(SagaStatus.RUNNING, null, null, null, null, List.of(one, two));
    }

    @ParameterizedTest
    @EnumSource(StepStatus.class)
    void every_status_comes_back(StepStatus status) {
        SagaState state = running(
                new StepState(status, 1, 2, 3, true, true, true, 0, 4, Duration.ofSeconds(5), null), StepState.NEW);
        assertThat(through(state)).isEqualTo(state);
    }

    @Test
    void any_combination_comes_back() {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            SagaState state = new SagaState(
                    SagaStatus.COMPENSATING,
                    random.nextBoolean() ? SagaReason.REJECTED : null,
                    random.nextBoolean() ? SagaReason.CANCELLED : null,
                    null,
                    random.nextBoolean() ? Duration.ofSeconds(9) : null,
                    List.of(step(random), step(random)));
            assertThat(through(state)).isEqualTo(state);
        }
    }

    private static StepState step(Random random) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            numbers.add(random.nextInt(4) == 0 ? random.nextInt(1 << random.nextInt(1, 31)) : 0);
        }
        StepStatus[] all = StepStatus.values();
        return new StepState(
                all[random.nextInt(all.length)],
                numbers.get(0),
                numbers.get(1),
                numbers.get(2),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(3),
                numbers.get(3),
                random.nextBoolean() ? Duration.ofNanos(random.nextInt(1 << 30) * 1000L) : null,
                question(random));
    }

    private static Question question(Random random) {
        Question.Cause[] all = Question.Cause.values();
        return random.nextBoolean() ? new Question(all[random.nextInt(all.length)], random.nextInt(3)) : null;
    }

    @Test
    void a_time_is_rounded_up_so_that_nothing_is_early() {
        SagaState state = running(
                new StepState(StepStatus.WAITING, 1, 0, 0, true, false, false, 0, 0, Duration.ofNanos(1), null),
                new StepState(StepStatus.WAITING, 1, 0, 0, true, false, false, 0, 0, Duration.ZERO, null));
        assertThat(through(state).steps().get(0).notBefore()).isEqualTo(Duration.ofNanos(1000));
        assertThat(through(state).steps().get(1).notBefore()).isEqualTo(Duration.ZERO);
    }

    @Test
    void years_from_now_can_be_stored() {
        SagaState state = running(
                new StepState(StepStatus.WAITING, 1, 0, 0, true, false, false, 0, 0, Duration.ofDays(366 * 100), null),
                StepState.NEW);
        assertThat(through(state)).isEqualTo(state);
    }

    @Test
    void the_reason_of_the_row_says_why_it_is_parked_and_the_text_why_it_turned() {
        SagaState state = new SagaState(
                SagaStatus.FAILED,
                SagaReason.REJECTED,
                null,
                SagaReason.COMPENSATION_EXHAUSTED,
                null,
                List.of(StepState.NEW, StepState.NEW));
        assertThat(through(state)).isEqualTo(state);
    }

    @Test
    void what_is_zero_takes_no_room() {
        assertThat(codec.write(TWO, running(StepState.NEW, StepState.NEW)))
                .isEqualTo("{\"steps\":{\"one\":[\"PENDING\"],\"two\":[\"PENDING\"]}}");
    }

    @Test
    void a_plain_success_is_its_place_and_anything_else_is_said_in_full() {
        SagaState state = running(
                new StepState(StepStatus.SUCCEEDED, 0, 0, 0, false, false, false, 0, 12, null, null),
                new StepState(StepStatus.SUCCEEDED, 1, 0, 0, false, false, false, 0, 1, null, null));
        assertThat(codec.write(TWO, state)).isEqualTo("{\"steps\":{\"one\":12,\"two\":[\"SUCCEEDED\",1,0,0,0,1]}}");
        assertThat(through(state)).isEqualTo(state);
    }

    @Test
    void steps_are_found_by_name_and_never_by_position() { // F099
        SagaState read =
                codec.read(TWO, SagaStatus.RUNNING, null, null, "{\"steps\":{\"two\":[\"PENDING\"],\"one\":1}}");
        assertThat(read.steps().get(0).status()).isEqualTo(StepStatus.SUCCEEDED);
        assertThat(read.steps().get(1).status()).isEqualTo(StepStatus.PENDING);
    }

    @Test
    void a_missing_and_a_surplus_step_are_told_by_name() { // F116
        assertThatThrownBy(() -> codec.read(TWO, SagaStatus.RUNNING, null, null, "{\"steps\":{\"one\":[\"PENDING\"]}}"))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-DEF-009")
                .hasMessageContaining("two");
        assertThatThrownBy(() -> codec.read(
                        TWO,
                        SagaStatus.RUNNING,
                        null,
                        null,
                        "{\"steps\":{\"one\":[\"PENDING\"],\"two\":[\"PENDING\"],\"three\":[\"PENDING\"]}}"))
                .hasMessageContaining("SAGA-DEF-009")
                .hasMessageContaining("three");
    }
}
