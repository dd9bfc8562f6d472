package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several calls at once. */
abstract class GuardRaceCases extends GuardFixture {
    private static final int THREADS = 20;

    GuardRaceCases(GuardContract contract) {
        super(contract);
    }

    @Test
    void of_many_actions_at_once_one_takes_effect_and_all_answer_the_same() {
        List<Booked> answers = Together.run(THREADS, number -> book(guard(), "" + number));

        assertThat(Collections.frequency(answers, answers.get(0))).isEqualTo(THREADS);
        assertThat(written()).containsExactly("did " + answers.get(0).number());
    }

    @Test // F046
    void of_many_compensations_at_once_without_an_action_one_is_recorded_and_no_deadlock_escapes() {
        for (int round = 0; round < 10; round++) {
            String each = id + round;
            List<CompensationAnswer> answers =
                    Together.run(THREADS, number -> tried(() -> guard().compensation(each, recorded -> {})));

            assertThat(answers).containsOnlyOnce(CompensationAnswer.EMPTY);
            assertThat(Collections.frequency(answers, CompensationAnswer.DUPLICATE))
                    .isEqualTo(THREADS - 1);
        }
    }

    /** As a caller does who is told that the transaction is lost: it begins another one. */
    @Test // F046
    void of_many_compensations_at_once_in_transactions_of_their_callers_one_is_recorded_and_no_deadlock_escapes() {
        for (int round = 0; round < 10; round++) {
            String each = id + round;
            List<CompensationAnswer> answers = Together.run(THREADS, number -> joined(each));

            assertThat(answers).containsOnlyOnce(CompensationAnswer.EMPTY);
            assertThat(Collections.frequency(answers, CompensationAnswer.DUPLICATE))
                    .isEqualTo(THREADS - 1);
            assertThat(contract.written(each)).hasSize(THREADS);
        }
    }

    private CompensationAnswer joined(String each) {
        for (int tries = 1; ; tries++) {
            try {
                return inTransaction(() -> {
                    CompensationAnswer answer = guard().compensation(each, recorded -> {});
                    contract.write(each, "answered");
                    return answer;
                });
            } catch (OperationBusyException e) {
                if (!e.transactionLost() || !contract.yieldsWhenJoined() || tries == THREADS) {
                    throw e;
                }
            }
        }
    }

    @Test // F046
    void when_the_first_of_many_rolls_back_another_one_goes_on_and_no_deadlock_escapes() {
        for (int round = 0; round < 10; round++) {
            String each = id + round;
            List<Boolean> answers = Together.run(
                    THREADS,
                    number -> tried(() -> {
                        try {
                            guard().action(each, () -> {
                                if (number % 3 != 0) {
                                    throw new Planned();
                                }
                                return new Booked("" + number);
                            });
                            return true;
                        } catch (Planned e) {
                            return false;
                        }
                    }));

            assertThat(answers).contains(true);
        }
    }

    @Test // F103
    void a_compensation_waits_for_the_action_under_way_and_undoes_it() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Booked> action = Together.start(() -> guard().action(id, () -> {
            Booked booked = booked("1");
            begun.countDown();
            goOn.await(60, TimeUnit.SECONDS);
            return booked;
        }));
        begun.await(60, TimeUnit.SECONDS);
        CompletableFuture<CompensationAnswer> compensation = Together.start(() -> undo(guard()));
        goOn.countDown();

        assertThat(Answer.await(action)).isEqualTo(new Booked("1"));
        assertThat(Answer.await(compensation)).isEqualTo(CompensationAnswer.DONE);
        assertThat(written()).containsExactlyInAnyOrder("did 1", "undid");
    }

    @Test // F103
    void a_compensation_that_waits_too_long_is_told_to_come_back_and_its_transaction_stays_usable() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Booked> action = Together.start(() -> guard().action(id, () -> {
            Booked booked = booked("1");
            begun.countDown();
            goOn.await(60, TimeUnit.SECONDS);
            return booked;
        }));
        begun.await(60, TimeUnit.SECONDS);
        inTransaction(() -> {
            contract.write(id, "before");
            assertThatThrownBy(() -> undo(guard()))
                    .isInstanceOfSatisfying(
                            OperationBusyException.class,
                            busy -> assertThat(busy.transactionLost()).isFalse());
            contract.write(id, "after");
            return true;
        });
        goOn.countDown();

        assertThat(Answer.await(action)).isEqualTo(new Booked("1"));
        assertThat(undo(guard())).isEqualTo(CompensationAnswer.DONE);
        assertThat(written()).containsExactlyInAnyOrder("before", "after", "did 1", "undid");
    }

    @Test // F124
    void an_action_and_its_compensation_at_once_leave_nothing_whoever_wins() {
        for (int round = 0; round < 1_000; round++) {
            String each = id + round;
            List<String> answers = Together.run(
                    2,
                    number -> tried(() -> number == 0
                            ? action(each)
                            : guard().compensation(each, recorded -> contract.write(each, "undid"))
                                    .name()));

            assertThat(answers).isIn(List.of("refused", "EMPTY"), List.of("booked", "DONE"));
            assertThat(contract.written(each)).isIn(List.of(), List.of("did", "undid"), List.of("undid", "did"));
            assertThat(tried(() -> action(each))).isEqualTo("refused");
        }
    }

    private String action(String each) throws Exception {
        try {
            guard().action(each, () -> {
                contract.write(each, "did");
                return new Booked("1");
            });
            return "booked";
        } catch (OperationRefusedException e) {
            return "refused";
        }
    }

    /** All of them, and on every database, are run by {@code -Dsaga.guard.interleavings=113400}. */
    @Test
    void no_order_of_actions_compensations_a_confirmation_and_their_ends_breaks_a_promise() {
        int many = Objects.requireNonNull(Integer.getInteger("saga.guard.interleavings", 400));

        GuardInterleavings.Summary summary = new GuardInterleavings(contract).run(many);

        System.out.println(contract.getClass().getSimpleName() + ": " + summary);
        assertThat(summary.wrong()).isEmpty();
        assertThat(summary.run()).isEqualTo(many);
    }
}
