package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuards;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** In a transaction of the participant's own. */
abstract class JoinedGuardCases extends GuardFixture {
    JoinedGuardCases(GuardContract contract) {
        super(contract);
    }

    @Test
    void an_action_is_committed_with_the_callers_transaction() {
        inTransaction(() -> {
            contract.write(id, "before");
            book(guard(), "1");
            assertThat(book(guard(), "2")).isEqualTo(new Booked("1"));
            return true;
        });

        assertThat(written()).containsExactlyInAnyOrder("before", "did 1");
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
    }

    @Test
    void an_action_is_rolled_back_with_the_callers_transaction() {
        assertThatThrownBy(() -> inTransaction(() -> {
                    book(guard(), "1");
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.EMPTY);
        assertThat(written()).isEmpty();
    }

    @Test
    void a_compensation_is_rolled_back_with_the_callers_transaction() {
        book(guard(), "1");
        assertThatThrownBy(() -> inTransaction(() -> {
                    undo(guard());
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(book(guard(), "2")).isEqualTo(new Booked("1"));
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test // F049
    void a_duplicate_leaves_the_callers_transaction_usable() {
        book(guard(), "1");

        inTransaction(() -> {
            contract.write(id, "before");
            assertThat(book(guard(), "2")).isEqualTo(new Booked("1"));
            contract.write(id, "after");
            return true;
        });

        assertThat(written()).containsExactlyInAnyOrder("did 1", "before", "after");
    }

    @Test // F049
    void a_refusal_leaves_the_callers_transaction_usable() {
        undo(guard());

        inTransaction(() -> {
            contract.write(id, "before");
            assertThatThrownBy(() -> book(guard(), "1")).isInstanceOf(OperationRefusedException.class);
            contract.write(id, "after");
            return true;
        });

        assertThat(written()).containsExactlyInAnyOrder("before", "after");
    }

    @Test
    void action_and_compensation_in_one_transaction_leave_it_undone() {
        inTransaction(() -> {
            book(guard(), "1");
            return undo(guard());
        });

        assertThat(undone).containsExactly(Optional.of(new Booked("1")));
        assertThatThrownBy(() -> book(guard(), "2")).isInstanceOf(OperationRefusedException.class);
    }

    @Test
    void an_effect_that_fails_in_a_transaction_that_is_committed_all_the_same_may_be_there() {
        inTransaction(() -> {
            assertThatThrownBy(() -> guard().action(id, () -> {
                        booked("1");
                        throw new Planned();
                    }))
                    .isInstanceOf(Planned.class);
            return true;
        });
        assertThat(written()).containsExactly("did 1");

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(undone).as("its result is not known").containsExactly(Optional.empty());
    }

    @Test
    void an_undo_that_fails_in_a_transaction_that_is_committed_all_the_same_is_called_again() {
        book(guard(), "1");
        inTransaction(() -> {
            assertThatThrownBy(() -> guard().compensation(id, recorded -> {
                        throw new Planned();
                    }))
                    .isInstanceOf(Planned.class);
            return true;
        });

        assertThatThrownBy(() -> book(guard(), "2")).isInstanceOf(OperationRefusedException.class);
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(undone).containsExactly(Optional.of(new Booked("1")));
    }

    @Test // F127
    void a_strict_guard_is_refused_outside_a_transaction() {
        ParticipantGuards strict = guards().strict();

        assertThatThrownBy(() -> book(strict.guard(BOOK), "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("SAGA-GRD-005");
        assertThatThrownBy(() -> undo(strict.guard(BOOK))).isInstanceOf(IllegalStateException.class);
        assertThat(written()).isEmpty();
        assertThat(inTransaction(() -> book(strict.guard(BOOK), "2"))).isEqualTo(new Booked("2"));
    }

    @Test
    void a_remote_effect_is_refused_inside_a_transaction() {
        assertThatThrownBy(() -> inTransaction(() -> book(guard().remote(Duration.ofMinutes(1)), "1")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("SAGA-GRD-005");
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.EMPTY);
    }
}
