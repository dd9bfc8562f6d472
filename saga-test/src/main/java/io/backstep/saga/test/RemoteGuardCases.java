package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.GuardCall;
import io.backstep.saga.participant.GuardState;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationLostException;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Effects that are no part of the transaction. */
abstract class RemoteGuardCases extends GuardFixture {
    private static final Duration LIMIT = Duration.ofHours(1);
    private static final Duration OVER = LIMIT.plusMinutes(1);

    private final List<String> remote = new ArrayList<>();

    RemoteGuardCases(GuardContract contract) {
        super(contract);
    }

    private ParticipantGuard<Booked> far() {
        return guard().remote(LIMIT);
    }

    private Booked call(String number, Runnable meanwhile) {
        return tried(() -> far().action(id, () -> {
            assertThat(contract.transactions().isActive())
                    .as("no transaction is open meanwhile")
                    .isFalse();
            remote.add("did " + number);
            meanwhile.run();
            return new Booked(number);
        }));
    }

    private CompensationAnswer callBack(Runnable meanwhile) {
        return tried(() -> far().compensation(id, recorded -> {
            undone.add(recorded);
            remote.add("undid");
            meanwhile.run();
        }));
    }

    private static final Runnable NOTHING = () -> {};

    @Test
    void that_it_has_begun_is_committed_before_the_effect() {
        call("1", () -> {
            assertThatThrownBy(() -> callBack(NOTHING))
                    .isInstanceOfSatisfying(
                            OperationBusyException.class,
                            busy -> assertThat(busy.transactionLost()).isFalse())
                    .hasMessageStartingWith("SAGA-GRD-002");
            assertThatThrownBy(() -> call("2", NOTHING)).isInstanceOf(OperationBusyException.class);
        });

        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DONE);
        assertThat(remote).containsExactly("did 1", "undid");
    }

    @Test // F125
    void an_action_that_fails_may_have_taken_effect_and_is_compensated_with_an_empty_result() {
        assertThatThrownBy(() -> call("1", () -> {
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DONE);
        assertThat(undone).containsExactly(Optional.empty());
        assertThatThrownBy(() -> call("2", NOTHING)).isInstanceOf(OperationRefusedException.class);
        assertThat(remote).containsExactly("did 1", "undid");
    }

    @Test
    void an_action_that_fails_may_be_tried_again_at_once_under_the_same_id() {
        assertThatThrownBy(() -> call("1", () -> {
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);

        assertThat(call("2", NOTHING)).isEqualTo(new Booked("2"));
        assertThat(call("3", NOTHING)).isEqualTo(new Booked("2"));
    }

    @Test // F028
    void an_action_that_takes_too_long_loses_to_the_one_that_takes_it_over() {
        assertThatThrownBy(() -> call("1", () -> {
                    contract.age(id, OVER);
                    assertThat(call("2", NOTHING)).isEqualTo(new Booked("2"));
                }))
                .isInstanceOf(OperationLostException.class)
                .hasMessageStartingWith("SAGA-GRD-004");

        assertThat(call("3", NOTHING)).as("one result is stored").isEqualTo(new Booked("2"));
    }

    @Test
    void an_action_that_takes_too_long_does_not_end_the_one_that_has_taken_it_over() {
        assertThatThrownBy(() -> call("1", () -> {
                    contract.age(id, OVER);
                    Planned first = new Planned();
                    assertThatThrownBy(() -> call("2", () -> {
                                throw first;
                            }))
                            .isSameAs(first);
                }))
                .isInstanceOf(OperationLostException.class);

        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DONE);
    }

    @Test
    void an_action_that_was_lost_is_compensated_when_its_time_is_up_and_is_not_recorded_later() {
        assertThatThrownBy(() -> call("1", () -> {
                    contract.age(id, OVER);
                    assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DONE);
                }))
                .isInstanceOf(OperationLostException.class);

        assertThat(undone).containsExactly(Optional.empty());
        assertThatThrownBy(() -> call("2", NOTHING)).isInstanceOf(OperationRefusedException.class);
        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DUPLICATE);
    }

    @Test
    void a_compensation_under_way_makes_others_come_back_and_refuses_the_action() {
        call("1", NOTHING);
        callBack(() -> {
            assertThatThrownBy(() -> callBack(NOTHING)).isInstanceOf(OperationBusyException.class);
            assertThatThrownBy(() -> call("2", NOTHING)).isInstanceOf(OperationRefusedException.class);
        });

        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DUPLICATE);
        assertThat(remote).containsExactly("did 1", "undid");
    }

    @Test
    void a_compensation_that_fails_or_is_lost_is_called_again_with_the_same_result() {
        call("1", NOTHING);
        assertThatThrownBy(() -> callBack(() -> {
                    throw new Planned();
                }))
                .isInstanceOf(Planned.class);
        assertThatThrownBy(() -> callBack(() -> {
                    contract.age(id, OVER);
                    callBack(NOTHING);
                }))
                .isInstanceOf(OperationLostException.class);

        assertThat(undone).hasSize(3).containsOnly(Optional.of(new Booked("1")));
        assertThat(callBack(NOTHING)).isEqualTo(CompensationAnswer.DUPLICATE);
    }

    @Test
    void a_limit_must_be_more_than_nothing() {
        assertThatThrownBy(() -> guard().remote(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_call_is_ended_once_and_only_from_where_it_stands() {
        UUID token = UUID.randomUUID();
        GuardCall call = new GuardCall(id, "book", token, GuardState.STARTED, GuardState.STARTED, LIMIT, false);
        inTransaction(() -> contract.store().action(call));

        assertThat(settle(UUID.randomUUID(), GuardState.STARTED))
                .as("another's token")
                .isFalse();
        assertThat(settle(token, GuardState.COMPENSATING)).as("another state").isFalse();
        assertThat(settle(token, GuardState.STARTED)).isTrue();
        assertThat(settle(token, GuardState.STARTED)).as("ended before").isFalse();
    }

    private boolean settle(UUID token, GuardState from) {
        return inTransaction(() -> contract.store().settle(id, token, from, GuardState.DONE, null));
    }
}
