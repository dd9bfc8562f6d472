package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Sweep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How mail comes to who holds a saga, or will. */
abstract class SweepCases extends OperatorRows {
    private final Lease mine = new Lease("node-" + UUID.randomUUID(), LONG);

    SweepCases(SagaStoreContract contract) {
        super(contract);
    }

    private UUID held() {
        NewInstance saga = owned(mine);
        insert(saga);
        return saga.sagaId();
    }

    private List<Mail> sweep() {
        return look().mail();
    }

    private Sweep look() {
        return answer(callback -> store().sweepMail(mine.owner(), List.of(definition.definitionId()), callback));
    }

    // --- claims

    @Test
    void who_takes_a_saga_gets_its_new_mail_oldest_first() {
        UUID id = due();
        UUID quiet = due();
        post(id, "z");
        post(id, "a");

        List<Claimed> claimed = claim(10);

        assertThat(claimed)
                .hasSize(2)
                .allSatisfy(one -> assertThat(one.mail())
                        .isEqualTo(
                                one.row().sagaId().equals(quiet) ? List.of() : List.of(mail(id, "z"), mail(id, "a"))));
    }

    @Test
    void who_takes_one_saga_or_takes_it_back_gets_its_new_mail() {
        UUID id = due();
        post(id, "m1");
        post(id, "m2");

        Claimed taken = claimOne(id).orElseThrow();
        assertThat(taken.mail()).containsExactly(mail(id, "m1"), mail(id, "m2"));

        submit(merging(id, taken.row().epoch(), 0, "m1"));
        assertThat(recover(id, taken.row().epoch()).orElseThrow().mail()).containsExactly(mail(id, "m2"));
    }

    // --- the sweep

    @Test
    void the_sweep_tells_an_owner_of_the_mail_for_its_sagas_oldest_first() {
        UUID first = held();
        UUID second = held();
        UUID others = startedByA();
        post(second, "z");
        post(others, "m");
        post(first, "a");

        assertThat(sweep()).containsExactly(mail(second, "z"), mail(first, "a"));
        assertThat(sweep()).hasSize(2);

        submit(merging(second, 1, 0, "z"));
        assertThat(sweep()).containsExactly(mail(first, "a"));
    }

    @ParameterizedTest
    @EnumSource(names = {"RUNNING", "COMPENSATING"})
    void the_sweep_makes_a_saga_with_mail_due_that_nobody_holds(SagaStatus status) {
        UUID id = written(status);
        UUID quiet = written(status);
        InstanceRow before = row(id);
        post(id, "m1");
        assertThat(claim(10)).isEmpty();

        assertThat(sweep()).isEmpty();

        assertThat(row(id).epoch()).isEqualTo(before.epoch());
        assertThat(row(id).seq()).isEqualTo(before.seq());
        assertThat(row(id).owner()).isNull();
        List<Claimed> claimed = claim(10);
        assertThat(idsOf(claimed)).containsExactly(id);
        assertThat(claimed.get(0).mail()).containsExactly(mail(id, "m1"));
        assertThat(dueAt(quiet)).isAfter(dueAt(id).minusSeconds(60));
    }

    @Test
    void the_sweep_leaves_a_lease_alone() {
        UUID id = startedByA();
        post(id, "m1");
        InstanceRow before = row(id);

        sweep();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void the_sweep_never_puts_off_what_is_due() {
        UUID id = due();
        InstanceRow before = row(id);
        post(id, "m1");

        sweep();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void the_sweep_waits_for_no_locked_row() {
        UUID id = written(SagaStatus.RUNNING);
        post(id, "m1");

        contract.withRowLocked(id, () -> {
            elsewhere(this::sweep);
            assertThat(dueAt(id)).isAfter(inspected(id).now());
        });

        sweep();
        assertThat(dueAt(id)).isBeforeOrEqualTo(inspected(id).now());
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "COMPENSATED", "FORCE_COMPLETED"})
    void the_sweep_puts_aside_the_mail_of_a_saga_that_has_ended(SagaStatus status) {
        UUID id = written(status);
        post(id, "m1");
        InstanceRow before = row(id);

        Sweep found = look();

        assertThat(found.mail()).isEmpty();
        assertThat(found.putAside())
                .filteredOn(aside -> aside.mail().sagaId().equals(id))
                .containsExactly(new Sweep.PutAside(mail(id, "m1"), definition.definitionId()));
        assertThat(inspected(id).mail()).isEmpty();
        assertThat(row(id)).isEqualTo(before);
        assertThat(look().putAside())
                .as("told once")
                .noneMatch(aside -> aside.mail().sagaId().equals(id));
    }

    @Test
    void mail_for_a_parked_saga_waits_until_somebody_gets_it_moving() {
        UUID id = written(SagaStatus.FAILED);
        post(id, "m1");
        InstanceRow before = row(id);

        assertThat(sweep()).isEmpty();

        assertThat(inspected(id).mail()).hasSize(1);
        assertThat(row(id)).isEqualTo(before);
        operate(revive(id, 1, 1));
        assertThat(claimOne(id).orElseThrow().mail()).containsExactly(mail(id, "m1"));
    }

    @Test
    void mail_for_a_saga_that_does_not_exist_is_put_aside() {
        NewInstance saga = unowned();
        assertThat(post(saga.sagaId(), "m1")).isTrue();

        assertThat(look().putAside()).contains(new Sweep.PutAside(mail(saga.sagaId(), "m1"), null));

        insert(saga);
        assertThat(claimOne(saga.sagaId()).orElseThrow().mail()).isEmpty();
    }

    @Test
    void senders_sweeps_owners_and_purges_at_once_disturb_nobody() {
        List<UUID> ids = IntStream.range(0, 8)
                .mapToObj(number -> number % 2 == 0 ? written(SagaStatus.COMPLETED) : due())
                .toList();

        List<Integer> claimed = Together.run(8, thread -> {
            int taken = 0;
            for (int round = 0; round < 10; round++) {
                UUID id = ids.get((thread + round) % ids.size());
                switch (thread % 4) {
                    case 0 -> post(id, "m" + thread + "-" + round);
                    case 1 -> sweep();
                    case 2 -> taken += claim(mine, 1, definition).size();
                    default ->
                        store().purge(new PurgeRequest(
                                Map.of(SagaStatus.COMPLETED, Duration.ofDays(999)),
                                Set.of(definition.typeId()),
                                null,
                                1000));
                }
            }
            return taken;
        });

        assertThat(claimed.stream().mapToInt(Integer::intValue).sum()).isEqualTo(4);
        sweep();
        assertThat(ids)
                .filteredOn(id -> row(id).status() == SagaStatus.COMPLETED)
                .hasSize(4)
                .allSatisfy(id -> assertThat(inspected(id).mail()).isEmpty());
    }

    @Test
    void a_saga_that_was_given_back_with_mail_left_is_taken_with_it() {
        UUID id = startedByA();
        post(id, "m1");
        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(LONG)));

        sweep();

        assertThat(claimOne(id).orElseThrow().mail()).hasSize(1);
    }
}
