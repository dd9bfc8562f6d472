package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.TransactionalWork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps that share a transaction with their record. */
abstract class WorkCases extends StoreCases {
    WorkCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void the_record_and_the_work_commit_together() {
        UUID id = startedByA();
        NewInstance effect = unowned();

        Answer<Acceptance> answer = work(() -> {
            store().insertJoined(effect);
            return write(id, 1, 0, succeeded("reserve", "1"));
        });

        assertThat(answer.orThrow()).isEqualTo(Acceptance.ACCEPTED);
        assertThat(store().find(effect.sagaId())).isPresent();
        assertThat(row(id).seq()).isEqualTo(1);
        assertThat(store().history(id)).hasSize(1);
    }

    @Test
    void the_work_runs_on_the_calling_thread_in_a_transaction_of_its_own() {
        UUID id = startedByA();
        List<Object> seen = new ArrayList<>();

        work(() -> {
            seen.add(Thread.currentThread());
            seen.add(contract.transactions().isActive());
            seen.add(contract.transactions().isReadOnly());
            return write(id, 1, 0);
        });

        assertThat(seen).containsExactly(Thread.currentThread(), true, false);
        assertThat(contract.transactions().isActive()).isFalse();
    }

    @Test
    void work_that_throws_leaves_nothing_and_its_exception_is_handed_on() {
        UUID id = startedByA();
        InstanceRow before = row(id);
        NewInstance effect = unowned();
        IOException failure = new IOException("no stock");

        Answer<Acceptance> answer = work(() -> {
            store().insertJoined(effect);
            throw failure;
        });

        assertThat(answer.failure()).isSameAs(failure);
        assertThat(store().find(effect.sagaId())).isEmpty();
        assertThat(row(id)).isEqualTo(before);
        assertThat(contract.transactions().isActive()).isFalse();
    }

    @Test // F122
    void work_that_throws_an_error_leaves_nothing_either() {
        NewInstance effect = unowned();
        Error failure = new OutOfMemoryError("only pretended");

        Answer<Acceptance> answer = work(() -> {
            store().insertJoined(effect);
            throw failure;
        });

        assertThat(answer.failure()).isSameAs(failure);
        assertThat(store().find(effect.sagaId())).isEmpty();
        assertThat(contract.transactions().isActive()).isFalse();
    }

    @Test // F006
    void a_fence_that_does_not_hold_undoes_the_work() {
        UUID id = startedByA();
        InstanceRow before = row(id);
        NewInstance effect = unowned();

        Answer<Acceptance> answer = work(() -> {
            store().insertJoined(effect);
            return write(id, 1, 1, succeeded("reserve", "1"));
        });

        assertThat(answer.orThrow()).isEqualTo(Acceptance.STALE);
        assertThat(store().find(effect.sagaId())).isEmpty();
        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
    }

    @Test // F006
    void a_takeover_during_the_work_undoes_it() {
        UUID id = startedByA();
        NewInstance effect = unowned();

        Answer<Acceptance> answer = work(() -> {
            store().insertJoined(effect);
            assertThat(Answer.await(Together.start(() -> {
                        contract.age(id, LONG.plusSeconds(1));
                        return claim(10);
                    })))
                    .hasSize(1);
            return write(id, 1, 0);
        });

        assertThat(answer.orThrow()).isEqualTo(Acceptance.STALE);
        assertThat(store().find(effect.sagaId())).isEmpty();
    }

    @Test // F034
    void a_record_that_the_database_refuses_undoes_the_work() {
        UUID id = startedByA();
        NewInstance effect = unowned();

        Acceptance answer = work(() -> {
                    store().insertJoined(effect);
                    return write(id, 1, 0, succeeded("reserve", "\"\u0000\""));
                })
                .orThrow();

        assertThat(answer.kind()).isIn(Acceptance.Kind.REFUSED, Acceptance.Kind.ACCEPTED);
        assertThat(store().find(effect.sagaId()).isPresent()).isEqualTo(answer.equals(Acceptance.ACCEPTED));
        assertThat(store().history(id)).hasSize(answer.equals(Acceptance.ACCEPTED) ? 1 : 0);
    }

    @Test
    void nothing_of_the_work_is_seen_before_its_commit() {
        UUID id = startedByA();
        NewInstance effect = unowned();

        work(() -> {
            store().insertJoined(effect);
            assertThat(Answer.await(Together.start(() -> store().find(effect.sagaId()))))
                    .isEmpty();
            return write(id, 1, 0);
        });

        assertThat(store().find(effect.sagaId())).isPresent();
    }

    @Test
    void the_record_may_end_the_saga() {
        UUID id = startedByA();

        work(() -> write(id, 1, 0, SagaStatus.COMPLETED, Hold.END));

        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(id).dueAt()).isNull();
    }

    @Test
    void of_ten_who_run_the_same_work_one_is_accepted_and_one_effect_is_left() {
        UUID id = startedByA();

        List<Acceptance.Kind> kinds = Together.run(
                10,
                number -> Waiting.until(
                                () -> work(() -> {
                                    store().insertJoined(unowned());
                                    return write(id, 1, 0, succeeded("reserve", null));
                                }),
                                answer -> answer.failure() == null || !store().isTransient(answer.failure()))
                        .orThrow()
                        .kind());

        assertThat(kinds).containsOnlyOnce(Acceptance.Kind.ACCEPTED).contains(Acceptance.Kind.STALE);
        assertThat(store().history(id)).hasSize(1);
        assertThat(claim(20)).hasSize(1);
    }

    @Test
    void an_ordinary_failure_is_not_worth_a_rerun() {
        IllegalStateException outer = new IllegalStateException("outer");
        outer.initCause(new IOException("inner", outer));

        assertThat(store().isTransient(outer)).isFalse();
    }

    private Answer<Acceptance> work(TransactionalWork work) {
        return Answer.of(callback -> store().inTransaction(work, callback));
    }
}
