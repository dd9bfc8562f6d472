package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a lease is kept, and how a saga is taken back after a write whose effect is unknown. */
abstract class LeaseCases extends StoreCases {
    private static final Lease LONGER_A = new Lease(LEASE_A.owner(), LONG.multipliedBy(3));

    LeaseCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void the_owner_renews_its_lease() {
        UUID id = startedByA();
        Instant before = dueAt(id);

        assertThat(renew(LONGER_A, new Held(id, 1))).containsExactly(id);

        assertThat(dueAt(id)).isAfter(before.plus(LONG));
        assertThat(row(id).owner()).isEqualTo(LEASE_A.owner());
    }

    @Test // F003
    void a_renewed_lease_is_left_alone_and_its_fence_still_holds() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));

        assertThat(renew(LEASE_A, new Held(id, 1))).containsExactly(id);

        assertThat(claim(10)).isEmpty();
        assertThat(submit(write(id, 1, 0))).isEqualTo(Acceptance.ACCEPTED);
    }

    @Test
    void another_epoch_or_another_owner_renews_nothing() {
        UUID id = startedByA();
        InstanceRow before = row(id);

        assertThat(renew(LONGER_A, new Held(id, 0))).isEmpty();
        assertThat(renew(LONGER_A, new Held(id, 2))).isEmpty();
        assertThat(renew(LEASE_B, new Held(id, 1))).isEmpty();
        assertThat(renew(LONGER_A, new Held(UUID.randomUUID(), 1))).isEmpty();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void a_saga_that_was_taken_over_is_not_renewed() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));
        claim(10);
        InstanceRow before = row(id);

        assertThat(renew(LONGER_A, new Held(id, 1))).isEmpty();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void renewal_neither_revives_a_released_saga_nor_moves_its_retry() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(LONG.multipliedBy(5))));
        InstanceRow before = row(id);

        assertThat(renew(LONGER_A, new Held(id, 1))).isEmpty();

        assertThat(row(id)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "COMPENSATED", "FORCE_COMPLETED", "FAILED"})
    void what_has_ended_or_is_parked_is_neither_renewed_nor_recovered(SagaStatus status) {
        UUID id = startedByA();
        submit(write(id, 1, 0, status, Hold.END));
        InstanceRow before = row(id);

        assertThat(renew(LONGER_A, new Held(id, 1))).isEmpty();
        assertThat(recover(id, 1)).isEmpty();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void a_saga_that_turned_is_renewed() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.COMPENSATING, Hold.KEEP));

        assertThat(renew(LONGER_A, new Held(id, 1))).containsExactly(id);
    }

    @Test
    void of_many_those_are_renewed_that_match() {
        UUID mine = startedByA();
        UUID ended = startedByA();
        submit(write(ended, 1, 0, SagaStatus.COMPLETED, Hold.END));
        UUID alsoMine = startedByA();

        assertThat(renew(LONGER_A, new Held(mine, 1), new Held(ended, 1), new Held(alsoMine, 1)))
                .containsExactlyInAnyOrder(mine, alsoMine);
    }

    @Test
    void nothing_to_renew_has_an_empty_answer() {
        assertThat(renew(LEASE_A)).isEmpty();
    }

    @Test
    void renewal_skips_a_locked_row() {
        UUID locked = startedByA();
        UUID free = startedByA();
        Instant before = dueAt(locked);

        contract.withRowLocked(
                locked,
                () -> assertThat(renew(LONGER_A, new Held(locked, 1), new Held(free, 1)))
                        .containsExactly(free));

        assertThat(dueAt(locked)).isEqualTo(before);
    }

    @Test // F002
    void a_lost_write_that_was_applied_shows_in_seq() {
        UUID id = startedByA();
        submit(write(id, 1, 0, succeeded("reserve", "1")));

        Claimed recovered = recover(id, 1).orElseThrow();

        assertThat(recovered.row()).isEqualTo(row(id));
        assertThat(recovered.row().seq()).isEqualTo(1);
        assertThat(recovered.row().epoch()).isEqualTo(2);
        assertThat(recovered.row().owner()).isEqualTo(LEASE_A.owner());
        assertThat(recovered.takenOver()).isFalse();
        assertThat(recovered.results()).isEqualTo(Map.of("reserve", "1"));
    }

    @Test
    void a_lost_write_that_was_not_applied_is_fenced() {
        UUID id = startedByA();
        Mutation lost = write(id, 1, 0, succeeded("reserve", "1"));

        Claimed recovered = recover(id, 1).orElseThrow();

        assertThat(recovered.row().seq()).isZero();
        assertThat(recovered.row().epoch()).isEqualTo(2);
        assertThat(submit(lost)).isEqualTo(Acceptance.STALE);
        assertThat(store().history(id)).isEmpty();
        assertThat(submit(write(id, 2, 0, succeeded("reserve", "1")))).isEqualTo(Acceptance.ACCEPTED);
    }

    @Test
    void recovery_begins_a_new_lease_even_when_the_old_one_ran_out() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));

        assertThat(recover(id, 1).map(Claimed::takenOver)).contains(false);

        assertThat(claim(10)).isEmpty();
    }

    @Test
    void a_lost_release_is_taken_back() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(LONG)));

        Claimed recovered = recover(id, 1).orElseThrow();

        assertThat(recovered.row().seq()).isEqualTo(1);
        assertThat(recovered.row().owner()).isEqualTo(LEASE_A.owner());
    }

    @Test
    void what_is_not_the_callers_any_more_is_not_recovered() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));
        claim(10);
        InstanceRow before = row(id);

        assertThat(recover(id, 1)).isEmpty();
        assertThat(recover(UUID.randomUUID(), 1)).isEmpty();

        assertThat(row(id)).isEqualTo(before);
    }

    @Test
    void recovery_waits_for_whoever_has_the_row_locked() {
        UUID id = startedByA();
        List<CompletableFuture<Optional<Claimed>>> recovering = new ArrayList<>();

        contract.withRowLocked(id, () -> {
            recovering.add(Together.start(() -> recover(id, 1)));
            Waiting.aMomentFor(recovering.get(0));
        });

        assertThat(Answer.await(recovering.get(0))).isPresent();
    }

    @Test
    void of_many_claims_and_recoveries_at_once_each_gets_an_epoch_of_its_own() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));

        List<Long> epochs =
                Together.run(
                                8,
                                number -> number % 2 == 0
                                        ? recover(id, 1)
                                        : claim(10).stream().findFirst())
                        .stream()
                        .flatMap(Optional::stream)
                        .map(claimed -> claimed.row().epoch())
                        .toList();

        assertThat(epochs).containsExactly(2L);
        assertThat(row(id).epoch()).isEqualTo(2);
    }
}
