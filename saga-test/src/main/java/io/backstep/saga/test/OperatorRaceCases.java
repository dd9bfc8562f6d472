package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Operators, owners and others who want the same row at once. */
abstract class OperatorRaceCases extends OperatorRows {
    OperatorRaceCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void an_owner_who_writes_meanwhile_is_told_that_the_row_is_locked_and_then_that_it_is_stale() {
        UUID id = startedByA();

        inTransaction(() -> {
            store().operate(forced(revive(id, 1, 0)));
            return assertThat(elsewhere(() -> submit(write(id, 1, 0)))).isEqualTo(Acceptance.LOCKED);
        });

        assertThat(submit(write(id, 1, 0))).isEqualTo(Acceptance.STALE);
    }

    @Test
    void a_row_that_somebody_keeps_locked_is_told_and_the_transaction_goes_on() {
        UUID id = written(SagaStatus.FAILED);

        contract.withRowLocked(
                id,
                () -> assertThat(elsewhere(() -> inTransaction(() -> {
                            assertThatThrownBy(() -> store().operate(revive(id, 1, 1)))
                                    .isInstanceOfSatisfying(SagaStoreException.class, e -> {
                                        assertThat(e.code()).isEqualTo("SAGA-DB-012");
                                        assertThat(e.effect()).isEqualTo(SagaStoreException.Effect.NONE);
                                    });
                            return store().audit(entry(id, "refused"));
                        })))
                        .isTrue());

        assertThat(row(id).epoch()).isEqualTo(1);
        assertThat(store().audit(new AuditQuery(id, null, null, 10))).hasSize(1);
    }

    @Test
    void an_operator_whose_saga_somebody_keeps_locked_is_told_so_after_one_try() {
        UUID id = written(SagaStatus.FAILED);
        AtomicInteger tries = new AtomicInteger();
        SagaStore counting = new ForwardingStore(store()) {
            @Override
            public Operated operate(OperatorWrite write) {
                tries.incrementAndGet();
                return super.operate(write);
            }
        };
        SagaAdmin admin = SagaAdmin.of(SagaEngine.builder()
                .store(counting)
                .transactions(contract.transactions())
                .build());
        AdminRequest request = AdminRequest.by("ann", "because");

        contract.withRowLocked(
                id,
                () -> assertThat(elsewhere(() -> catchThrowable(() -> admin.forceComplete(id, request))))
                        .isInstanceOfSatisfying(
                                SagaStoreException.class,
                                e -> assertThat(e.code()).isEqualTo("SAGA-DB-012")));
        assertThat(tries).hasValue(1);
        assertThat(store().audit(new AuditQuery(id, null, null, 10))).isEmpty();

        assertThat(admin.forceComplete(id, request).after()).isEqualTo("FORCE_COMPLETED");
    }

    @Test
    void of_five_operators_at_once_one_is_first() {
        UUID id = written(SagaStatus.FAILED);

        assertThat(Together.run(5, number -> operate(revive(id, 1, 1, succeeded("by-" + number, null)))))
                .containsOnlyOnce(Operated.DONE)
                .contains(Operated.STALE);

        assertThat(row(id).seq()).isEqualTo(2);
        assertThat(store().history(id)).hasSize(1);
    }

    @Test
    void operator_and_owner_at_once_never_both_write() {
        for (int round = 0; round < 10; round++) {
            UUID id = startedByA();

            List<Boolean> written = Together.run(
                    2,
                    number -> number == 0
                            ? operate(forced(revive(id, 1, 0))) == Operated.DONE
                            : submitPersistently(write(id, 1, 0)) == Acceptance.Kind.ACCEPTED);

            assertThat(written).containsOnlyOnce(true);
            assertThat(row(id).seq()).isEqualTo(1);
        }
    }
}
