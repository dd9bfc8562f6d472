package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ConfirmationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is tried first and made final afterwards. */
abstract class ConfirmGuardCases extends GuardFixture {
    private static final Duration LIMIT = Duration.ofHours(1);

    private final List<Booked> confirmed = new ArrayList<>();

    ConfirmGuardCases(GuardContract contract) {
        super(contract);
    }

    private ConfirmationAnswer confirm(ParticipantGuard<Booked> guard) {
        return tried(() -> guard.confirmation(id, recorded -> {
            confirmed.add(recorded);
            contract.write(id, "confirmed");
        }));
    }

    private static void assertRefused(String code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        OperationRefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessageStartingWith(code);
    }

    @Test
    void a_confirmation_is_handed_what_the_action_returned_and_takes_effect_once() {
        book(guard(), "1");

        assertThat(confirm(guard())).isEqualTo(ConfirmationAnswer.DONE);
        assertThat(confirm(guard())).isEqualTo(ConfirmationAnswer.DUPLICATE);

        assertThat(confirmed).containsExactly(new Booked("1"));
        assertThat(written()).containsExactlyInAnyOrder("did 1", "confirmed");
        assertThat(book(guard(), "2")).isEqualTo(new Booked("1"));
    }

    @Test
    void what_is_confirmed_is_never_undone() {
        book(guard(), "1");
        confirm(guard());

        assertRefused("SAGA-GRD-012", () -> undo(guard()));
        assertRefused("SAGA-GRD-012", () -> undo(guard().alwaysCompensating()));

        assertThat(written()).containsExactlyInAnyOrder("did 1", "confirmed");
    }

    @Test
    void what_is_undone_is_never_confirmed() {
        book(guard(), "1");
        undo(guard());

        assertRefused("SAGA-GRD-010", () -> confirm(guard()));

        assertThat(confirmed).isEmpty();
    }

    @Test
    void what_was_never_done_is_not_confirmed_and_its_action_is_refused_from_then_on() {
        assertRefused("SAGA-GRD-011", () -> confirm(guard()));
        assertRefused("SAGA-GRD-001", () -> book(guard(), "1"));
        assertRefused("SAGA-GRD-010", () -> confirm(guard()));

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DUPLICATE);
        assertThat(written()).isEmpty();
    }

    @Test
    void an_operation_without_a_result_is_confirmed_the_same() throws Exception {
        VoidParticipantGuard guard = voidGuard();
        guard.action(id, () -> contract.write(id, "did"));

        assertThat(guard.confirmation(id, () -> contract.write(id, "confirmed")))
                .isEqualTo(ConfirmationAnswer.DONE);
        assertThat(guard.confirmation(id, () -> contract.write(id, "confirmed")))
                .isEqualTo(ConfirmationAnswer.DUPLICATE);
        assertRefused("SAGA-GRD-012", () -> guard.compensation(id, () -> {}));

        assertThat(written()).containsExactlyInAnyOrder("did", "confirmed");
    }

    @Test
    void a_confirmation_that_fails_has_confirmed_nothing() {
        book(guard(), "1");

        assertThatThrownBy(() -> guard().confirmation(id, recorded -> {
                    contract.write(id, "confirmed");
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test
    void a_confirmation_that_fails_in_a_transaction_that_is_committed_all_the_same_can_only_be_confirmed_again() {
        book(guard(), "1");
        inTransaction(() -> {
            assertThatThrownBy(() -> guard().confirmation(id, recorded -> {
                        throw new Planned();
                    }))
                    .isInstanceOf(Planned.class);
            return true;
        });

        assertRefused("SAGA-GRD-012", () -> undo(guard()));
        assertThat(confirm(guard())).isEqualTo(ConfirmationAnswer.DONE);
    }

    @Test
    void a_remote_confirmation_under_way_lets_no_other_in() throws Exception {
        ParticipantGuard<Booked> far = guard().remote(LIMIT);
        far.action(id, () -> new Booked("1"));

        far.confirmation(id, recorded -> {
            assertThat(contract.transactions().isActive()).isFalse();
            assertThatThrownBy(() -> far.confirmation(id, unused -> {})).isInstanceOf(OperationBusyException.class);
            assertRefused("SAGA-GRD-012", () -> far.compensation(id, unused -> {}));
            assertThat(far.action(id, () -> new Booked("2"))).isEqualTo(new Booked("1"));
        });

        assertThat(far.confirmation(id, unused -> {})).isEqualTo(ConfirmationAnswer.DUPLICATE);
    }

    @Test
    void a_remote_confirmation_that_is_lost_is_made_again_after_its_limit() throws Exception {
        ParticipantGuard<Booked> far = guard().remote(LIMIT);
        far.action(id, () -> new Booked("1"));
        List<String> calls = new ArrayList<>();

        assertThatThrownBy(() -> far.confirmation(id, lost -> {
                    calls.add("lost");
                    contract.age(id, LIMIT.plusMinutes(1));
                    far.confirmation(id, again -> calls.add("again"));
                }))
                .hasMessageStartingWith("SAGA-GRD-004");

        assertThat(calls).containsExactly("lost", "again");
        assertThat(far.confirmation(id, unused -> {})).isEqualTo(ConfirmationAnswer.DUPLICATE);
    }

    @Test
    void what_is_only_begun_is_not_confirmed() throws Exception {
        guard().remote(LIMIT).action(id, () -> {
            contract.age(id, LIMIT.plusMinutes(1));
            assertThatThrownBy(() -> confirm(guard().remote(LIMIT))).isInstanceOf(OperationBusyException.class);
            return new Booked("1");
        });

        assertThat(confirmed).isEmpty();
        assertThat(written()).isEmpty();
    }
}
