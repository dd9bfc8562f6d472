package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One call after the other, each in a transaction of the guard's. */
abstract class GuardCases extends GuardFixture {
    GuardCases(GuardContract contract) {
        super(contract);
    }

    /** Whoever calls: the order that a saga's commands arrive in, and one of TCC, is the same to both kinds of guards. */
    static Stream<Named<UnaryOperator<ParticipantGuard<Booked>>>> kinds() {
        return Stream.of(
                Named.of("local", guard -> guard), Named.of("remote", guard -> guard.remote(Duration.ofHours(1))));
    }

    private Booked bookAlone(ParticipantGuard<Booked> guard, String number) {
        return tried(() -> guard.action(id, () -> alone(() -> booked(number))));
    }

    private CompensationAnswer undoAlone(ParticipantGuard<Booked> guard) {
        return tried(() -> guard.compensation(id, recorded -> {
            undone.add(recorded);
            alone(() -> {
                contract.write(id, "undid");
                return true;
            });
        }));
    }

    /** A remote effect has a transaction of its own. */
    private <T> T alone(Callable<T> effect) throws Exception {
        return contract.transactions().isActive()
                ? effect.call()
                : contract.transactions().inTransaction(effect);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void an_action_takes_effect_once_and_answers_the_same_again(UnaryOperator<ParticipantGuard<Booked>> kind) {
        assertThat(bookAlone(kind.apply(guard()), "1")).isEqualTo(new Booked("1"));
        assertThat(bookAlone(kind.apply(guard()), "2")).isEqualTo(new Booked("1"));
        assertThat(written()).containsExactly("did 1");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_compensation_is_handed_what_the_action_returned_and_undoes_it_once(
            UnaryOperator<ParticipantGuard<Booked>> kind) {
        bookAlone(kind.apply(guard()), "1");

        assertThat(undoAlone(kind.apply(guard()))).isEqualTo(CompensationAnswer.DONE);
        assertThat(undoAlone(kind.apply(guard()))).isEqualTo(CompensationAnswer.DUPLICATE);
        assertThat(undone).containsExactly(Optional.of(new Booked("1")));
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @ParameterizedTest // F130
    @MethodSource("kinds")
    void a_compensation_before_its_action_is_recorded_and_has_no_effect(UnaryOperator<ParticipantGuard<Booked>> kind) {
        assertThat(undoAlone(kind.apply(guard()))).isEqualTo(CompensationAnswer.EMPTY);
        assertThat(undoAlone(kind.apply(guard()))).isEqualTo(CompensationAnswer.DUPLICATE);
        assertThat(written()).isEmpty();
    }

    @ParameterizedTest // F124 F130
    @MethodSource("kinds")
    void an_action_that_comes_after_its_compensation_is_refused_for_ever(UnaryOperator<ParticipantGuard<Booked>> kind) {
        undoAlone(kind.apply(guard()));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> bookAlone(kind.apply(guard()), "1"))
                    .isInstanceOfSatisfying(OperationRefusedException.class, refused -> {
                        assertThat(refused.code()).isEqualTo("SAGA-GRD-001");
                        assertThat(refused.operationId()).isEqualTo(id);
                    })
                    .isInstanceOf(StepRejectedException.class);
        }
        assertThat(written()).isEmpty();
    }

    @ParameterizedTest // F129
    @MethodSource("kinds")
    void an_action_that_was_undone_is_refused_and_never_answered_as_if_it_were_done(
            UnaryOperator<ParticipantGuard<Booked>> kind) {
        bookAlone(kind.apply(guard()), "1");
        undoAlone(kind.apply(guard()));

        assertThatThrownBy(() -> bookAlone(kind.apply(guard()), "2")).isInstanceOf(OperationRefusedException.class);
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test
    void an_operation_without_a_result_is_guarded_the_same() throws Exception {
        VoidParticipantGuard guard = voidGuard();
        guard.action(id, () -> contract.write(id, "shipped"));
        guard.action(id, () -> contract.write(id, "shipped again"));

        assertThat(guard.compensation(id, () -> contract.write(id, "called back")))
                .isEqualTo(CompensationAnswer.DONE);
        assertThat(guard.compensation(id, () -> contract.write(id, "called back again")))
                .isEqualTo(CompensationAnswer.DUPLICATE);
        assertThatThrownBy(() -> guard.action(id, () -> contract.write(id, "shipped late")))
                .isInstanceOf(OperationRefusedException.class);
        assertThat(written()).containsExactlyInAnyOrder("shipped", "called back");
    }

    @Test
    void an_action_that_fails_leaves_nothing_and_may_be_tried_again() {
        assertThatThrownBy(() -> guard().action(id, () -> {
                    booked("1");
                    throw new IOException("no answer");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("no answer");

        assertThat(book(guard(), "2")).isEqualTo(new Booked("2"));
        assertThat(written()).containsExactly("did 2");
    }

    @Test
    void a_compensation_that_fails_has_undone_nothing_and_may_be_tried_again() {
        book(guard(), "1");
        assertThatThrownBy(() -> guard().compensation(id, recorded -> {
                    contract.write(id, "undid");
                    throw new IOException("no answer");
                }))
                .isInstanceOf(IOException.class);
        assertThat(book(guard(), "2")).as("it is not undone").isEqualTo(new Booked("1"));

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(undone).containsExactly(Optional.of(new Booked("1")));
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test // F125
    void after_an_action_that_failed_there_is_nothing_to_undo() {
        assertThatThrownBy(() -> guard().action(id, () -> {
                    booked("1");
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(undo(guard())).isEqualTo(CompensationAnswer.EMPTY);
    }

    @Test // F125
    void a_guard_that_compensates_always_does_so_once_also_when_no_action_is_known() {
        ParticipantGuard<Booked> always = guard().alwaysCompensating();
        assertThatThrownBy(() -> always.action(id, () -> {
                    booked("1"); // and something that no database takes back
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(undo(always)).isEqualTo(CompensationAnswer.DONE);
        assertThat(undo(always)).isEqualTo(CompensationAnswer.DUPLICATE);
        assertThat(undone).containsExactly(Optional.empty());
        assertThatThrownBy(() -> book(always, "2")).isInstanceOf(OperationRefusedException.class);
        assertThat(written()).containsExactly("undid");
    }

    @Test
    void another_operation_under_the_same_id_is_refused() throws Exception {
        book(guard(), "1");

        assertThatThrownBy(() -> voidGuard().action(id, () -> contract.write(id, "shipped")))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-GRD-003")
                .hasMessageContainingAll("book", "ship", id);
        assertThatThrownBy(() -> voidGuard().compensation(id, () -> contract.write(id, "called back")))
                .isInstanceOf(SagaRequestException.class);
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test
    void a_result_that_cannot_be_kept_is_refused_and_the_action_is_taken_back() {
        assertThatThrownBy(() -> guard().action(id, () -> {
                    booked("1");
                    return new Booked("too long ".repeat(1 << 17));
                }))
                .isInstanceOf(SagaSerializationException.class);
        assertThat(written()).isEmpty();
    }

    @Test // F043 F050
    void ids_that_look_alike_are_of_different_operations() {
        List<String> keys = List.of("a", "A", "a ", "\u00e4", "a\u0308");
        for (String key : keys) {
            String each = id + key;
            Booked first = tried(() -> guard().action(each, () -> new Booked(key)));
            assertThat(first).isEqualTo(new Booked(key));
        }
        for (String key : keys) {
            Booked again = tried(() -> guard().action(id + key, () -> new Booked("another")));
            assertThat(again).isEqualTo(new Booked(key));
        }
    }

    @ParameterizedTest // F050
    @ValueSource(ints = {0, 201, 300})
    void an_id_that_no_column_holds_is_refused_and_never_cut(int length) {
        assertThatThrownBy(() -> guard().action("k".repeat(length), () -> booked("1")))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-001");
        assertThat(written()).isEmpty();
    }

    @Test
    void the_longest_id_is_kept_whole() {
        String longest = id + "\u20ac".repeat(200 - id.length());
        assertThat(tried(() -> guard().action(longest, () -> new Booked("1")))).isEqualTo(new Booked("1"));
        assertThat(tried(() -> guard().action(longest.substring(0, 199), () -> new Booked("2"))))
                .isEqualTo(new Booked("2"));
    }
}
