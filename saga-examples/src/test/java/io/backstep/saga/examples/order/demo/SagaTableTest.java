package io.backstep.saga.examples.order.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.examples.order.LogLine;
import io.backstep.saga.examples.order.OrderView;
import io.backstep.saga.examples.order.UndoLine;
import io.backstep.saga.store.CompensationEntry;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SagaTableTest {
    private static final UUID ID = UUID.fromString("01890000-0000-7000-8000-000000000001");

    @Test
    void shows_an_order_and_its_logs() {
        OrderView order = new OrderView(
                ID,
                "mine",
                null,
                SagaStatus.FAILED,
                SagaReason.COMPENSATION_EXHAUSTED,
                List.of(),
                List.of(
                        line(3, "pay", Phase.ACTION, 1, Outcome.FAILED, "com.acme.http.Lost$One: a\nb.C"),
                        line(4, "", Phase.SAGA, 0, Outcome.TURNED, null)),
                List.of(new UndoLine("pay", 1, CompensationEntry.Status.FAILED, 3, null, "no")));

        assertThat(SagaTable.of(order)).isEqualTo("""
                          order 01890000-0000-7000-8000-000000000001 is not written down, its saga FAILED (COMPENSATION_EXHAUSTED)
                          seq  step               phase         try  outcome         ms  why
                          3    pay                ACTION        1    FAILED           7  Lost$One: a C
                          4    -                  SAGA               TURNED           7
                          compensation log        status        retries
                          1    pay                FAILED        3    no
                        """);
    }

    private static LogLine line(
            long seq, String step, Phase phase, int attempt, Outcome outcome, @Nullable String why) {
        return new LogLine(seq, step, phase, attempt, outcome, why, Instant.EPOCH, 7, "node");
    }
}
