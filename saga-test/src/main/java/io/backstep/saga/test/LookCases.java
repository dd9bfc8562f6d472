package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.Sweep;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node sees there is to do, and that it is what claims and sweeps would find. Mail of others may be there at any time. */
abstract class LookCases extends OperatorRows {
    private static final Duration SOME = Duration.ofMinutes(1);
    private final Lease mine = new Lease("node-" + UUID.randomUUID(), LONG);

    LookCases(SagaStoreContract contract) {
        super(contract);
    }

    private Outlook look(RegisteredDefinition... known) {
        List<Integer> ids =
                Stream.of(known).map(RegisteredDefinition::definitionId).toList();
        return answer(callback -> store().look(mine.owner(), ids, callback));
    }

    private Outlook sweptLook() {
        return Waiting.until(
                () -> {
                    StoreCases.<Sweep>answer(
                            callback -> store().sweepMail(mine.owner(), List.of(definition.definitionId()), callback));
                    return look(definition);
                },
                seen -> !seen.mail());
    }

    @Test
    void the_oldest_of_a_definition_is_told_unless_it_has_ended_or_is_parked() {
        RegisteredDefinition other = register(newName(), 1);
        List<Integer> both = List.of(definition.definitionId(), other.definitionId());
        assertThat(store().oldest(both, 10)).doesNotContainKey(other.definitionId());
        assertThat(store().oldest(List.of(), 10)).isEmpty();
        for (SagaStatus status : SagaStatus.values()) {
            NewInstance saga = saga(UUID.randomUUID(), other, null, SagaStatus.RUNNING, LEASE_A);
            contract.age(written(saga, status), Duration.ofDays(10 + status.ordinal()));
        }

        Duration oldest = Duration.ofDays(10 + SagaStatus.COMPENSATING.ordinal());
        assertThat(store().oldest(both, 10).get(other.definitionId())).isBetween(oldest, oldest.plusHours(1));
        assertThat(store().oldest(List.of(definition.definitionId()), 10)).doesNotContainKey(other.definitionId());
    }

    // --- due times

    @Test
    void what_is_due_is_seen_as_long_as_nobody_has_taken_it() {
        due();
        assertThat(look(definition).isDue()).isTrue();

        assertThat(claim(1)).hasSize(1);

        assertThat(look(definition).isDue()).isFalse();
    }

    @Test
    void what_is_locked_is_due_all_the_same() {
        UUID id = due();
        contract.withRowLocked(id, () -> assertThat(look(definition).isDue()).isTrue());
    }

    @Test
    void of_several_sagas_and_definitions_the_first_due_time_counts() {
        RegisteredDefinition other = register(newName(), 1);
        NewInstance soon = saga(UUID.randomUUID(), other, null, SagaStatus.RUNNING, LEASE_A);
        insert(soon);
        assertThat(submit(write(soon.sagaId(), 1, 0, SagaStatus.RUNNING, Hold.release(SOME))))
                .isNotNull();
        insert(saga(UUID.randomUUID(), definition, null, SagaStatus.RUNNING, LEASE_A));
        insert(saga(UUID.randomUUID(), other, null, SagaStatus.RUNNING, LEASE_A));

        assertThat(look(definition).untilDue()).isBetween(LONG.minus(SOME), LONG);
        assertThat(look(definition, other).untilDue()).isBetween(Duration.ofSeconds(1), SOME);
        contract.age(soon.sagaId(), SOME);
        assertThat(look(definition, other).untilDue()).isZero();
        assertThat(look(definition).isDue()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "COMPENSATED", "FORCE_COMPLETED", "FAILED"})
    void what_has_ended_or_is_parked_is_never_due(SagaStatus status) {
        written(status);
        assertThat(look(definition).untilDue()).isNull();
    }

    @Test
    void a_node_that_knows_no_definition_sees_nothing_due() {
        due();
        assertThat(look().untilDue()).isNull();
    }

    @Test
    void a_look_changes_nothing() {
        UUID id = due();
        UUID resting = written(SagaStatus.RUNNING);
        post(resting, "m1");
        InstanceRow before = row(id);
        InstanceRow restingBefore = row(resting);

        assertThat(look(definition).mail()).isTrue();

        assertThat(row(id)).isEqualTo(before);
        assertThat(row(resting)).isEqualTo(restingBefore);
        assertThat(inspected(resting).mail()).hasSize(1);
    }

    // --- mail

    @Test
    void mail_of_a_saga_that_it_holds_is_seen_until_it_is_merged() {
        NewInstance held = owned(mine);
        insert(held);
        post(held.sagaId(), "m1");
        assertThat(look(definition).mail()).isTrue();

        submit(merging(held.sagaId(), 1, 0, "m1"));

        assertThat(sweptLook().mail()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"RUNNING", "COMPENSATING", "COMPLETED"})
    void mail_that_a_sweep_does_something_about_is_seen_until_it_has(SagaStatus status) {
        UUID id = written(status);
        post(id, "m1");
        assertThat(look(definition).mail()).isTrue();

        assertThat(sweptLook().isDue()).isEqualTo(status.active());
    }

    @Test
    void mail_for_a_saga_that_does_not_exist_is_seen_until_it_is_put_aside() {
        post(UUID.randomUUID(), "m1");
        assertThat(look(definition).mail()).isTrue();
        assertThat(sweptLook().mail()).isFalse();
    }

    @Test
    void mail_that_waits_for_others_is_not_seen() {
        post(written(SagaStatus.FAILED), "m1");
        post(startedByA(), "m1");
        assertThat(sweptLook().mail()).isFalse();
    }

    // --- hints

    @Test
    void listening_may_end_twice() {
        var listening = store().listen(() -> {});
        listening.close();
        listening.close();
    }
}
