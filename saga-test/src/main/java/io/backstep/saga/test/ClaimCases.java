package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who gets which saga. */
abstract class ClaimCases extends StoreCases {
    ClaimCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_due_saga_of_nobody_is_claimed() {
        UUID id = due();
        InstanceRow before = row(id);

        List<Claimed> claimed = claim(10);

        assertThat(idsOf(claimed)).containsExactly(id);
        assertThat(claimed.get(0).takenOver()).isFalse();
        InstanceRow row = claimed.get(0).row();
        assertThat(row).isEqualTo(row(id));
        assertThat(row.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(row.seq()).isEqualTo(before.seq());
        assertThat(row.owner()).isEqualTo(LEASE_B.owner());
        assertThat(row.dueAt()).isAfter(before.dueAt());
        assertThat(row.steps()).isEqualTo(STEPS);
        assertThat(row.name()).isEqualTo(definition.name());
    }

    @Test
    void a_live_lease_is_left_alone() {
        startedByA();

        assertThat(claim(10)).isEmpty();
    }

    @Test
    void an_expired_lease_is_taken_over() {
        UUID id = startedByA();
        contract.age(id, LONG.plusSeconds(1));

        List<Claimed> claimed = claim(10);

        assertThat(idsOf(claimed)).containsExactly(id);
        assertThat(claimed.get(0).takenOver()).isTrue();
        assertThat(claimed.get(0).row().epoch()).isEqualTo(2);
        assertThat(claimed.get(0).row().owner()).isEqualTo(LEASE_B.owner());
    }

    @Test
    void a_lease_runs_out_by_itself() {
        NewInstance saga = owned(new Lease("node-a/1", Duration.ofMillis(1)));
        insert(saga);

        List<Claimed> claimed = Waiting.until(() -> claim(10), list -> !list.isEmpty());

        assertThat(idsOf(claimed)).containsExactly(saga.sagaId());
        assertThat(claimed.get(0).takenOver()).isTrue();
    }

    @Test
    void a_released_saga_waits_until_it_is_due() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(LONG)));
        assertThat(claim(10)).isEmpty();

        contract.age(id, LONG.plusSeconds(1));

        List<Claimed> claimed = claim(10);
        assertThat(idsOf(claimed)).containsExactly(id);
        assertThat(claimed.get(0).takenOver()).isFalse();
        assertThat(claimed.get(0).row().epoch()).isEqualTo(2);
        assertThat(claimed.get(0).row().seq()).isEqualTo(1);
    }

    @Test
    void a_released_saga_comes_back_by_itself_and_never_early() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(Duration.ofMillis(300))));
        Instant due = dueAt(id);

        List<Claimed> claimed = Waiting.until(() -> claim(10), list -> !list.isEmpty());

        assertThat(idsOf(claimed)).containsExactly(id);
        assertThat(dueAt(id).minus(LONG)).as("when it was claimed").isAfterOrEqualTo(due);
    }

    @Test // F020
    void no_more_than_the_limit_are_taken() {
        insertAll(Stream.generate(this::unowned).limit(50).toList());

        List<Claimed> claimed = claim(5);

        assertThat(claimed).hasSize(5);
        assertThat(Stream.generate(() -> claim(5).size()).limit(10)).containsExactly(5, 5, 5, 5, 5, 5, 5, 5, 5, 0);
    }

    @Test // F085, F086
    void what_the_node_does_not_know_stays_as_it_is() {
        UUID unknown = due(register(newName(), 1));
        UUID newer = due(register(definition.name(), 2));
        List<InstanceRow> before = List.of(row(unknown), row(newer));
        UUID known = due();

        assertThat(idsOf(claim(10))).containsExactly(known);

        assertThat(List.of(row(unknown), row(newer))).isEqualTo(before);
    }

    @Test
    void a_node_that_knows_nothing_gets_nothing() {
        due();

        assertThat(claim(LEASE_B, 10)).isEmpty();
    }

    @Test
    void many_of_one_type_do_not_starve_another() {
        RegisteredDefinition rare = register(newName(), 1);
        List<UUID> many = Stream.generate(this::due).limit(30).toList();
        many.forEach(id -> contract.age(id, LONG));
        List<UUID> few = List.of(due(rare), due(rare));

        List<UUID> claimed = idsOf(claim(LEASE_B, 6, definition, rare));

        assertThat(claimed).hasSize(6).containsAll(few);
    }

    @Test
    void a_type_takes_the_share_that_another_does_not_need() {
        RegisteredDefinition rare = register(newName(), 1);
        insertAll(Stream.generate(this::unowned).limit(30).toList());
        due(rare);

        assertThat(claim(LEASE_B, 20, definition, rare)).hasSize(20);
    }

    @Test
    void what_has_ended_or_is_parked_is_not_taken() {
        Stream.of(SagaStatus.COMPLETED, SagaStatus.COMPENSATED, SagaStatus.FAILED, SagaStatus.FORCE_COMPLETED)
                .forEach(status -> {
                    UUID id = startedByA();
                    submit(write(id, 1, 0, status, Hold.END));
                    contract.age(id, LONG.multipliedBy(2));
                });

        assertThat(claim(10)).isEmpty();
    }

    @Test
    void a_row_that_somebody_has_locked_is_skipped() {
        UUID locked = due();
        UUID free = due();

        contract.withRowLocked(locked, () -> {
            assertThat(idsOf(claim(10))).containsExactly(free);
            assertThat(claimOne(locked)).isEmpty();
        });

        assertThat(idsOf(claim(10))).containsExactly(locked);
    }

    @Test
    void no_two_claimers_get_the_same_saga() {
        insertAll(Stream.generate(this::unowned).limit(100).toList());

        List<List<UUID>> taken = Together.run(4, number -> {
            List<UUID> mine = new ArrayList<>();
            List<UUID> some;
            do {
                some = idsOf(claim(new Lease("node-" + number, LONG), 7, definition));
                mine.addAll(some);
            } while (!some.isEmpty());
            return mine;
        });

        List<UUID> all = new ArrayList<>(taken.stream().flatMap(List::stream).toList());
        all.addAll(idsOf(claim(100)));
        assertThat(all).hasSize(100).doesNotHaveDuplicates();
        IntStream.range(0, 4)
                .forEach(number -> assertThat(taken.get(number))
                        .allSatisfy(id -> assertThat(row(id).owner()).isEqualTo("node-" + number)));
    }

    @Test
    void nodes_that_pass_sagas_on_lose_no_write_and_double_none() {
        List<UUID> ids = Stream.generate(this::due).limit(8).toList();

        List<Integer> written = Together.run(
                4,
                number -> IntStream.range(0, 20)
                        .map(round -> claimWriteAndRelease(new Lease("node-" + number, LONG)))
                        .sum());

        int writes = written.stream().mapToInt(Integer::intValue).sum();
        assertThat(writes).isPositive();
        assertThat(ids.stream().mapToLong(id -> row(id).seq()).sum()).isEqualTo(writes);
        assertThat(ids).allSatisfy(id -> {
            assertThat(row(id).epoch()).isEqualTo(row(id).seq());
            assertThat(store().history(id))
                    .extracting(HistoryRow::seq)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, row(id).seq()).boxed().toList());
        });
    }

    private int claimWriteAndRelease(Lease lease) {
        List<Claimed> claimed = claim(lease, 3, definition);
        claimed.forEach(one -> {
            InstanceRow row = one.row();
            Mutation write = write(
                    new Fence(row.sagaId(), row.epoch(), row.seq()),
                    SagaStatus.RUNNING,
                    Hold.release(Duration.ZERO),
                    List.of(succeeded("step", null)),
                    List.of());
            assertThat(submitPersistently(write)).isEqualTo(Acceptance.Kind.ACCEPTED);
        });
        return claimed.size();
    }

    @Test
    void what_is_claimed_carries_its_age_and_its_deadline() {
        NewInstance saga = new NewInstance(
                UUID.randomUUID(), definition, null, HASH, SagaStatus.RUNNING, STEPS, "1", 1, LONG, null);
        insert(saga);
        contract.age(saga.sagaId(), Duration.ofMinutes(20));

        Claimed claimed = claim(10).get(0);

        assertThat(claimed.deadline()).isEqualTo(LONG);
        assertThat(claimed.age()).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(25));
        assertThat(claimed.results()).isEmpty();
    }

    @Test
    void a_saga_without_a_deadline_is_claimed_without_one() {
        due();

        assertThat(claim(10).get(0).deadline()).isNull();
    }

    @Test
    void unreadable_steps_are_handed_out_as_they_are() {
        UUID id = due();
        contract.corrupt(id, "{not json");

        assertThat(claim(10).get(0).row().steps()).isEqualTo("{not json");
    }
}
