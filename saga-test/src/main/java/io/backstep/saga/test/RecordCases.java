package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationEntry.Status;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The history and the compensation log that writes leave. */
abstract class RecordCases extends StoreCases {
    RecordCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void history_keeps_what_it_is_told_by_seq_and_ordinal() {
        UUID id = startedByA();
        submit(write(id, 1, 0, succeeded("a", "1"), line("b", Phase.ACTION, Outcome.FAILED, null, "broken")));
        submit(write(id, 1, 1));
        submit(write(id, 1, 2, line("", Phase.SAGA, Outcome.TURNED, null, null)));

        List<HistoryRow> history = store().history(id);

        assertThat(history).extracting(HistoryRow::seq).containsExactly(1L, 1L, 3L);
        assertThat(history).extracting(HistoryRow::ordinal).containsExactly(0, 1, 0);
        assertThat(history)
                .extracting(HistoryRow::entry)
                .containsExactly(
                        succeeded("a", "1"),
                        line("b", Phase.ACTION, Outcome.FAILED, null, "broken"),
                        line("", Phase.SAGA, Outcome.TURNED, null, null));
    }

    @Test
    void an_attempt_began_its_duration_before_it_was_written() {
        UUID id = startedByA();
        submit(write(
                id,
                1,
                0,
                new HistoryEntry("a", Phase.ACTION, 1, Outcome.SUCCEEDED, null, "1", null, null, LONG, "node-a")));

        HistoryRow line = store().history(id).get(0);

        assertThat(Duration.between(line.startedAt(), row(id).updatedAt()))
                .isBetween(LONG.minusSeconds(30), LONG.plusSeconds(30));
    }

    @Test
    void results_of_recorded_actions_and_those_that_were_found_come_with_the_claim() {
        UUID id = startedByA();
        submit(write(
                id,
                1,
                0,
                succeeded("with-result", "{\"id\": 7}"),
                succeeded("without-result", null),
                line("failed", Phase.ACTION, Outcome.FAILED, "\"no\"", null),
                line("found", Phase.PROBE, Outcome.SUCCEEDED, "9", null),
                line("denied", Phase.PROBE, Outcome.DID_NOT, null, null),
                line("not-known", Phase.PROBE, Outcome.UNKNOWN, null, null),
                line("with-result", Phase.COMPENSATION, Outcome.SUCCEEDED, "\"undone\"", null)));
        submit(write(id, 1, 1, succeeded("later", "8")));
        contract.age(id, LONG.plusSeconds(1));

        assertThat(claim(10).get(0).results())
                .isEqualTo(Map.of("with-result", "{\"id\": 7}", "found", "9", "later", "8"));
    }

    @Test
    void results_of_several_claimed_sagas_are_kept_apart() {
        UUID one = startedByA();
        UUID two = startedByA();
        submitAll(write(one, 1, 0, succeeded("a", "1")), write(two, 1, 0, succeeded("a", "2")));
        contract.age(one, LONG.plusSeconds(1));
        contract.age(two, LONG.plusSeconds(1));

        assertThat(claim(10))
                .allSatisfy(claimed -> assertThat(claimed.results())
                        .containsEntry("a", claimed.row().sagaId().equals(one) ? "1" : "2"));
    }

    @Test
    void the_compensation_log_has_one_row_for_each_compensation_in_order() {
        UUID id = startedByA();
        submit(write(id, 1, 0, compensation("a", 2), compensation("b", 1)));
        submit(write(id, 1, 1, compensation("0", 3)));

        assertThat(store().compensations(id))
                .extracting(CompensationRow::entry)
                .containsExactly(compensation("b", 1), compensation("a", 2), compensation("0", 3));
    }

    @Test
    void a_row_of_the_compensation_log_is_brought_up_to_date_and_created_once() {
        UUID id = startedByA();
        submit(write(id, 1, 0, compensation("a", 1), compensation("b", 2)));
        CompensationRow before = store().compensations(id).get(0);

        submit(write(id, 1, 1, waiting("a", LONG)));

        CompensationRow row = store().compensations(id).get(0);
        assertThat(row.entry())
                .isEqualTo(new CompensationEntry("a", 1, Status.WAITING, 3, null, "{\"handed\":1}", "{}", "no luck"));
        assertThat(row.createdAt()).isEqualTo(before.createdAt());
        assertThat(row.updatedAt()).isAfterOrEqualTo(before.updatedAt());
        assertThat(row.nextRetryAt())
                .isBetween(
                        row.updatedAt().plus(LONG).minusSeconds(5),
                        row.updatedAt().plus(LONG).plusSeconds(5));
        assertThat(store().compensations(id).get(1).entry()).isEqualTo(compensation("b", 2));
    }

    @Test
    void the_next_retry_goes_when_there_is_none() {
        UUID id = startedByA();
        submit(write(id, 1, 0, waiting("a", LONG)));

        submit(write(id, 1, 1, new CompensationEntry("a", 1, Status.SUCCEEDED, 3, null, "{\"handed\":1}", "{}", null)));

        CompensationRow row = store().compensations(id).get(0);
        assertThat(row.nextRetryAt()).isNull();
        assertThat(row.entry().status()).isEqualTo(Status.SUCCEEDED);
        assertThat(row.entry().lastError()).as("the last error stays readable").isEqualTo("no luck");
    }

    private static CompensationEntry waiting(String step, Duration nextRetryIn) {
        return new CompensationEntry(step, 1, Status.WAITING, 3, nextRetryIn, "{\"handed\":1}", "{}", "no luck");
    }
}
