package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptEndTest {
    private static final ErrorText TOO_LARGE = ErrorText.of("SAGA-SER-003", "too large");
    private static final Call CALL = new Call(1, Phase.ACTION, 1);

    @ParameterizedTest // D19
    @EnumSource(
            value = Outcome.class,
            names = {"FAILED", "TIMED_OUT", "INTERRUPTED"})
    void a_remote_attempt_that_returned_too_much_has_taken_effect_however_late_it_was(Outcome outcome) {
        assertThat(event(outcome, false)).isEqualTo(new SagaEvent.Stuck(Duration.ZERO, 1, SagaReason.RESULT_TOO_LARGE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAGA-SER-001", "SAGA-SER-006"})
    void so_has_one_whose_result_would_not_read_back(String code) {
        AttemptEnd end =
                new AttemptEnd(CALL, Outcome.FAILED, null, ErrorText.of(code, "odd"), true, false, Duration.ZERO);
        assertThat(end.event(Duration.ZERO, Duration.ZERO, 0))
                .isEqualTo(new SagaEvent.Stuck(Duration.ZERO, 1, SagaReason.RESULT_UNREADABLE));
    }

    @ParameterizedTest
    @EnumSource(
            value = Outcome.class,
            names = {"FAILED", "TIMED_OUT", "INTERRUPTED"})
    void a_transactional_one_has_not(Outcome outcome) {
        assertThat(event(outcome, true)).isInstanceOf(SagaEvent.Failed.class);
    }

    private static SagaEvent event(Outcome outcome, boolean transactional) {
        return new AttemptEnd(CALL, outcome, null, TOO_LARGE, true, transactional, Duration.ZERO)
                .event(Duration.ZERO, Duration.ZERO, 0);
    }
}
