package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.NewVersion;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes by somebody who does not hold the saga. */
abstract class OperatorCases extends OperatorRows {
    OperatorCases(SagaStoreContract contract) {
        super(contract);
    }

    // --- what is written

    @Test
    void a_parked_saga_gets_moving_again() {
        UUID id = written(SagaStatus.FAILED);

        assertThat(operate(revive(id, 1, 1))).isEqualTo(Operated.DONE);

        InstanceRow row = row(id);
        assertThat(row.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(row.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(row.steps()).isEqualTo("{\"written\":1}");
        assertThat(List.of(row.epoch(), row.seq())).containsExactly(2L, 2L);
        assertThat(row.owner()).isNull();
        assertThat(claimOne(id).orElseThrow().row().epoch()).isEqualTo(3);
    }

    @Test
    void a_saga_ends_by_hand() {
        UUID id = written(SagaStatus.FAILED);

        assertThat(operate(end(id, 1, 1))).isEqualTo(Operated.DONE);

        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(row(id).dueAt()).isNull();
        assertThat(claimOne(id)).isEmpty();
    }

    @Test
    void history_and_compensation_log_go_with_it() {
        UUID id = written(SagaStatus.FAILED);
        Mutation mutation = write(
                new Fence(id, 1, 1),
                SagaStatus.COMPENSATING,
                Hold.release(Duration.ZERO),
                List.of(succeeded("a", "1"), succeeded("b", null)),
                List.of(compensation("b", 1), compensation("a", 2)));

        operate(new OperatorWrite(mutation, false, false));

        List<HistoryRow> history = store().history(id);
        assertThat(history).extracting(HistoryRow::seq).containsExactly(2L, 2L);
        assertThat(history).extracting(HistoryRow::ordinal).containsExactly(0, 1);
        assertThat(history).extracting(HistoryRow::entry).isEqualTo(mutation.history());
        assertThat(store().compensations(id)).extracting(row -> row.entry()).isEqualTo(mutation.compensations());
    }

    @Test
    void without_steps_the_steps_stay() {
        UUID id = written(SagaStatus.FAILED);
        Mutation mutation = new Mutation(
                new Fence(id, 1, 1), SagaStatus.FORCE_COMPLETED, null, null, Hold.END, List.of(), List.of());

        operate(new OperatorWrite(mutation, false, false));

        assertThat(row(id).steps()).isEqualTo("{\"written\":0}");
        assertThat(row(id).reason()).isNull();
    }

    @Test
    void a_later_due_time_counts_from_now() {
        UUID id = written(SagaStatus.FAILED);
        Mutation mutation = write(id, 1, 1, SagaStatus.RUNNING, Hold.release(LONG));

        operate(new OperatorWrite(mutation, false, false));

        assertThat(Duration.between(row(id).updatedAt(), dueAt(id)))
                .isBetween(LONG.minusSeconds(5), LONG.plusSeconds(5));
        assertThat(claimOne(id)).isEmpty();
    }

    private OperatorWrite migrating(UUID id, long epoch, RegisteredDefinition to) {
        Mutation mutation = write(
                new Fence(id, epoch, 1),
                SagaStatus.RUNNING,
                Hold.release(Duration.ZERO),
                List.of(succeeded("a", "\"second\""), succeeded("b", "2")),
                List.of());
        NewVersion version = new NewVersion(to, "{\"later\":true}", "b".repeat(64));
        return new OperatorWrite(mutation, false, false, version);
    }

    @Test
    void a_saga_gets_another_version_with_its_data() { // F099
        RegisteredDefinition later = register(definition.name(), 2);
        UUID id = written(SagaStatus.FAILED);
        InstanceRow before = row(id);

        assertThat(operate(migrating(id, 1, later))).isEqualTo(Operated.DONE);

        InstanceRow row = row(id);
        assertThat(row.definitionId()).isEqualTo(later.definitionId());
        assertThat(List.of(row.name(), row.version())).containsExactly(definition.name(), 2);
        assertThat(row.input()).isEqualTo("{\"later\":true}");
        assertThat(row.inputHash()).isEqualTo("b".repeat(64));
        assertThat(row.businessKey()).isEqualTo(before.businessKey());
        assertThat(row.createdAt()).isEqualTo(before.createdAt());
        Claimed claimed = claimOne(id, later).orElseThrow();
        assertThat(claimed.row().version()).isEqualTo(2);
        assertThat(claimed.results()).containsEntry("b", "2");
    }

    @Test
    void a_saga_that_has_changed_keeps_its_version() { // F099
        RegisteredDefinition later = register(definition.name(), 2);
        UUID id = written(SagaStatus.FAILED);
        InstanceRow before = row(id);

        assertThat(operate(migrating(id, 2, later))).isEqualTo(Operated.STALE);

        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
    }

    @Test
    void of_two_results_of_a_step_the_later_counts() { // F099
        UUID id = written(SagaStatus.FAILED);
        for (long i = 1; i <= 5; i++) {
            Mutation mutation = write(
                    new Fence(id, i, i),
                    SagaStatus.RUNNING,
                    Hold.release(Duration.ZERO),
                    List.of(succeeded("a", "\"" + (9 - i) + "\"")),
                    List.of());
            assertThat(operate(new OperatorWrite(mutation, false, false))).isEqualTo(Operated.DONE);
        }

        assertThat(claimOne(id).orElseThrow().results()).containsEntry("a", "\"4\"");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void the_deadline_is_lifted_only_when_asked_for(boolean lift) {
        NewInstance plain = owned(LEASE_A);
        NewInstance saga = new NewInstance(
                plain.sagaId(),
                definition,
                null,
                HASH,
                SagaStatus.RUNNING,
                STEPS,
                "{}",
                1,
                Duration.ofMinutes(5),
                LEASE_A);
        UUID id = written(saga, SagaStatus.FAILED);

        operate(new OperatorWrite(revive(id, 1, 1).mutation(), false, lift));

        assertThat(row(id).deadline() == null).isEqualTo(lift);
    }

    // --- fences

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 1", "1, 0", "1, 2"})
    void nothing_is_written_when_the_row_has_changed(long epoch, long seq) {
        UUID id = written(SagaStatus.FAILED);
        InstanceRow before = row(id);

        assertThat(operate(revive(id, epoch, seq, succeeded("a", null)))).isEqualTo(Operated.STALE);
        assertThat(operate(forced(revive(id, epoch, seq, succeeded("a", null)))))
                .isEqualTo(Operated.STALE);

        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
    }

    @Test
    void nothing_is_written_to_a_saga_that_does_not_exist() {
        assertThat(operate(revive(UUID.randomUUID(), 0, 0))).isEqualTo(Operated.STALE);
    }

    @Test
    void nothing_is_written_while_a_lease_lasts() {
        UUID id = startedByA();
        InstanceRow before = row(id);

        assertThat(operate(revive(id, 1, 0, succeeded("a", null)))).isEqualTo(Operated.HELD);

        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
    }

    @Test
    void a_changed_row_comes_before_a_lease() {
        UUID id = startedByA();

        assertThat(operate(revive(id, 1, 7))).isEqualTo(Operated.STALE);
    }

    @Test // F172
    void force_breaks_a_lease_and_fences_its_owner() {
        UUID id = startedByA();

        assertThat(operate(forced(revive(id, 1, 0)))).isEqualTo(Operated.DONE);

        assertThat(row(id).owner()).isNull();
        assertThat(submit(write(id, 1, 0))).isEqualTo(Acceptance.STALE);
        assertThat(renew(LEASE_A, new Held(id, 1))).isEmpty();
        assertThat(recover(id, 1)).isEmpty();
        assertThat(row(id).epoch()).isEqualTo(2);
    }

    @Test
    void a_lease_that_has_run_out_holds_nothing() {
        UUID id = startedByA();
        contract.age(id, LONG.multipliedBy(2));
        assertThat(inspected(id).held()).isFalse();

        assertThat(operate(revive(id, 1, 0))).isEqualTo(Operated.DONE);

        assertThat(submit(write(id, 1, 0))).isEqualTo(Acceptance.STALE);
    }

    @ParameterizedTest
    @EnumSource(SagaStatus.class)
    void what_nobody_holds_can_be_written_whatever_its_status(SagaStatus status) {
        UUID id = written(status);
        assertThat(inspected(id).held()).isFalse();

        assertThat(operate(end(id, 1, 1))).isEqualTo(Operated.DONE);
    }

    // --- in the caller's transaction

    @Test
    void what_is_rolled_back_leaves_nothing() {
        UUID id = written(SagaStatus.FAILED);
        InstanceRow before = row(id);

        rolledBack(() -> {
            assertThat(store().operate(revive(id, 1, 1, succeeded("a", null)))).isEqualTo(Operated.DONE);
            return store().audit(entry(id, "request"));
        });

        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
        assertThat(store().audit(new AuditQuery(id, null, null, 10))).isEmpty();
        assertThat(operate(revive(id, 1, 1))).isEqualTo(Operated.DONE);
    }

    @Test
    void before_the_commit_only_the_operator_sees_it() {
        UUID id = written(SagaStatus.FAILED);

        inTransaction(() -> {
            store().operate(revive(id, 1, 1));
            assertThat(inspected(id).row().epoch()).isEqualTo(2);
            assertThat(elsewhere(() -> inspected(id).row().epoch())).isEqualTo(1);
            assertThat(elsewhere(() -> claimOne(id))).isEmpty();
            assertThat(elsewhere(() -> claim(10))).isEmpty();
            return "";
        });

        assertThat(claimOne(id)).isPresent();
    }

    @Test
    void one_transaction_writes_twice() {
        UUID id = written(SagaStatus.FAILED);

        inTransaction(() -> {
            assertThat(store().operate(revive(id, 1, 1, succeeded("a", null)))).isEqualTo(Operated.DONE);
            assertThat(store().operate(revive(id, 1, 1))).isEqualTo(Operated.STALE);
            return store().operate(end(id, 2, 2));
        });

        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(row(id).seq()).isEqualTo(3);
        assertThat(store().history(id)).hasSize(1);
    }

    @Test
    void what_the_database_refuses_is_told_and_the_transaction_goes_on() {
        UUID id = written(SagaStatus.FAILED);
        InstanceRow before = row(id);
        OperatorWrite neverDue = new OperatorWrite(write(id, 1, 1, SagaStatus.RUNNING, Hold.END), false, false);
        OperatorWrite impossible = revive(id, 1, 1, succeeded("a", "\u0000"));

        inTransaction(() -> {
            assertThatThrownBy(() -> store().operate(neverDue)).isInstanceOf(SagaStoreException.class);
            assertThatThrownBy(() -> store().operate(impossible)).isInstanceOf(SagaStoreException.class);
            return assertThat(inspected(id).row()).isEqualTo(before);
        });

        assertThat(operate(revive(id, 1, 1))).isEqualTo(Operated.DONE);
    }

    @Test
    void outside_a_transaction_it_is_refused() {
        UUID id = written(SagaStatus.FAILED);

        assertThatThrownBy(() -> store().operate(revive(id, 1, 1))).isInstanceOf(IllegalStateException.class);
    }
}
