package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.UnknownDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sagas that have completed and are to be undone for their parents, by nodes that know them. */
abstract class UndoCases extends OperatorRows {
    private final Lease mine = new Lease("node-" + UUID.randomUUID(), LONG);

    UndoCases(SagaStoreContract contract) {
        super(contract);
    }

    private static Mail undo(UUID sagaId, String messageId) {
        return new Mail(sagaId, messageId, Mail.Kind.UNDO, "taken back");
    }

    private List<Mail> sweep() {
        return sweep(definition);
    }

    private List<Mail> sweep(RegisteredDefinition known) {
        return StoreCases.<Sweep>answer(
                        callback -> store().sweepMail(mine.owner(), List.of(known.definitionId()), callback))
                .mail();
    }

    private Outlook look(RegisteredDefinition known) {
        return answer(callback -> store().look(mine.owner(), List.of(known.definitionId()), callback));
    }

    @Test
    void what_is_to_be_undone_waits_for_a_node_that_knows_it_and_is_counted_till_then() {
        UUID one = written(SagaStatus.COMPLETED);
        UUID other = written(SagaStatus.COMPLETED);
        written(SagaStatus.COMPLETED);
        due();
        RegisteredDefinition later = register(definition.name(), 2);
        inTransaction(() -> store().post(undo(one, "u1")));
        inTransaction(() -> store().post(undo(one, "u2")));
        inTransaction(() -> store().post(undo(other, "u1")));

        assertThat(sweep(later)).noneMatch(letter -> Set.of(one, other).contains(letter.sagaId()));
        assertThat(sweep()).contains(undo(one, "u1"), undo(one, "u2"), undo(other, "u1"));
        assertThat(unknown(later, 100)).containsExactly(new UnknownDefinition(definition.name(), 1, 3));
        assertThat(unknown(later, 2)).containsExactly(new UnknownDefinition(definition.name(), 1, 2));
        assertThat(unknown(definition, 100)).isEmpty();

        reopen(one, "u1", "u2");
        claimOne(one);
        submit(write(one, row(one).epoch(), row(one).seq(), SagaStatus.COMPENSATED, Hold.END));
        assertThat(unknown(later, 100)).containsExactly(new UnknownDefinition(definition.name(), 1, 2));
    }

    private List<UnknownDefinition> unknown(RegisteredDefinition known, int most) {
        return store().unknown(List.of(known.definitionId()), most).stream()
                .filter(version -> version.name().equals(definition.name()))
                .toList();
    }

    private void reopen(UUID id, String... wishes) {
        Mutation reopened = new Mutation(
                new Fence(id, 1, 1),
                SagaStatus.COMPENSATING,
                null,
                null,
                Hold.release(Duration.ZERO),
                List.of(),
                List.of(),
                List.of(wishes),
                List.of());
        assertThat(operate(new OperatorWrite(reopened, false, false))).isEqualTo(Operated.DONE);
    }

    /** More than a sweep goes through at once. */
    @Test
    void what_others_are_to_undo_keeps_nobody_from_other_mail() {
        RegisteredDefinition later = register(definition.name(), 2);
        UUID id = written(SagaStatus.COMPLETED);
        inTransaction(() -> {
            for (int i = 0; i < 1000; i++) {
                store().post(undo(id, "u" + i));
            }
            return null;
        });
        Waiting.until(() -> quiet(later), seen -> seen);
        UUID waiting = startedByA();
        submit(write(waiting, 1, 0, SagaStatus.RUNNING, Hold.release(LONG)));
        post(waiting, "m1");

        sweep(later);

        assertThat(dueAt(waiting)).isBeforeOrEqualTo(store().now());
        assertThat(sweep()).anyMatch(letter -> letter.sagaId().equals(id));
    }

    private boolean quiet(RegisteredDefinition known) {
        sweep(known);
        return !look(known).mail();
    }

    @Test
    void the_sweep_tells_anybody_who_wants_a_completed_saga_undone_until_a_write_merges_it() {
        UUID id = written(SagaStatus.COMPLETED);
        inTransaction(() -> store().post(undo(id, "u1")));

        assertThat(sweep()).contains(undo(id, "u1"));
        assertThat(sweep()).contains(undo(id, "u1"));

        reopen(id, "u1");
        assertThat(sweep()).doesNotContain(undo(id, "u1"));
        assertThat(claimOne(id).orElseThrow().row().status()).isEqualTo(SagaStatus.COMPENSATING);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPENSATED", "FORCE_COMPLETED"})
    void the_wish_to_undo_what_has_ended_otherwise_is_put_aside(SagaStatus status) {
        UUID id = written(status);
        inTransaction(() -> store().post(undo(id, "u1")));

        assertThat(sweep()).doesNotContain(undo(id, "u1"));

        assertThat(inspected(id).mail()).isEmpty();
    }
}
