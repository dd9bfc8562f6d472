package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rows go by age, and by nothing else. */
abstract class GuardRetentionCases extends GuardFixture {
    private static final Duration DAY = Duration.ofDays(1);

    GuardRetentionCases(GuardContract contract) {
        super(contract);
    }

    private int purge() {
        return tried(() -> guards().purge(DAY));
    }

    @Test
    void what_is_younger_than_the_age_stays() {
        book(guard(), "1");
        contract.age(id, DAY.minusMinutes(1));

        purge();

        assertThat(book(guard(), "2")).isEqualTo(new Booked("1"));
    }

    @Test
    void what_is_older_is_forgotten() {
        undo(guard());
        contract.age(id, DAY.plusMinutes(1));

        assertThat(purge()).isPositive();

        assertThat(book(guard(), "1")).isEqualTo(new Booked("1"));
    }

    @Test
    void a_compensation_makes_the_row_young_again() {
        book(guard(), "1");
        contract.age(id, DAY.plusMinutes(1));
        undo(guard());

        purge();

        assertThatThrownBy(() -> book(guard(), "2")).isInstanceOf(OperationRefusedException.class);
    }

    @Test
    void a_remote_effect_under_way_is_never_forgotten() throws Exception {
        guard().remote(DAY.multipliedBy(3)).action(id, () -> {
            contract.age(id, DAY.multipliedBy(2));
            purge();
            assertThatThrownBy(() -> undo(guard())).isInstanceOf(OperationBusyException.class);
            return new Booked("1");
        });

        purge();
        assertThat(undo(guard())).as("its end has made it young").isEqualTo(CompensationAnswer.DONE);
    }

    @Test
    void many_are_deleted_in_batches() throws Exception {
        for (int i : IntStream.range(0, 1_100).toArray()) {
            String each = id + i;
            voidGuard().action(each, () -> {});
            contract.age(each, DAY.plusMinutes(1));
        }

        assertThat(purge()).isGreaterThanOrEqualTo(1_100);
        assertThat(purge()).isZero();
        assertThat(voidGuard().compensation(id + "0", () -> {})).isEqualTo(CompensationAnswer.EMPTY);
    }

    @Test
    void an_age_that_no_message_would_survive_is_refused() {
        assertThatThrownBy(() -> guards().purge(Duration.ofSeconds(59))).isInstanceOf(IllegalArgumentException.class);
    }
}
