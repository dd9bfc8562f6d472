package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.SagaDetail;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the answers are made of. */
class LinesTest {
    private static final Payload VISIBLE = new Payload(true);

    @Test
    void the_line_of_a_step_has_all_that_the_detail_has_in_the_same_order() {
        assertThat(components(Lines.StepLine.class))
                .containsExactlyElementsOf(components(SagaDetail.StepLine.class).toList());
    }

    @Test
    void a_step_that_waits_for_an_answer_says_so_and_until_when() {
        Instant until = Instant.parse("2026-03-01T12:00:00Z");
        SagaDetail.StepLine waits = new SagaDetail.StepLine(
                "settled", StepStatus.WAITING, 0, 0, 0, false, null, true, until, null, null, null, List.of());
        SagaDetail.StepLine retries = new SagaDetail.StepLine(
                "pay", StepStatus.WAITING, 1, 0, 0, true, null, false, until, null, null, null, List.of());

        assertThat(Lines.StepLine.of(waits, VISIBLE).awaiting()).isTrue();
        assertThat(Lines.StepLine.of(waits, VISIBLE).nextAttemptAt()).isEqualTo(until);
        assertThat(Lines.StepLine.of(retries, VISIBLE).awaiting()).isFalse();
    }

    private static Stream<String> components(Class<? extends Record> line) {
        return Stream.of(line.getRecordComponents()).map(RecordComponent::getName);
    }
}
