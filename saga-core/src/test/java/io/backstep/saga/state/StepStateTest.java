package io.backstep.saga.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.StepStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StepStateTest {
    private static final int MOST = Integer.MAX_VALUE;

    @ParameterizedTest // X6
    @EnumSource(
            value = Outcome.class,
            names = {"FAILED", "INTERRUPTED", "TAKEN_OVER"})
    void counters_that_are_full_stay_full(Outcome outcome) {
        StepState full = new StepState(StepStatus.EXECUTING, MOST, MOST, MOST, false, false, false, 0, 0, null, null);

        assertThat(full.counting(outcome)).isEqualTo(full);
        assertThat(full.attempt()).isEqualTo(MOST);
    }
}
