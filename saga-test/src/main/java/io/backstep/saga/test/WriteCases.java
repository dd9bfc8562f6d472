package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes by the owner: the fence and the hold. */
abstract class WriteCases extends StoreCases {
    WriteCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_write_changes_what_it_says_and_raises_seq() {
        UUID id = startedByA();
        InstanceRow before = row(id);

        Acceptance answer = submit(write(id, 1, 0, SagaStatus.COMPENSATING, Hold.KEEP));

        assertThat(answer).isEqualTo(Acceptance.ACCEPTED);
        InstanceRow row = row(id);
        assertThat(row.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(row.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(row.steps()).isEqualTo("{\"written\":0}");
        assertThat(row.seq()).isEqualTo(1);
        assertThat(row.epoch()).isEqualTo(1);
        assertThat(row.input()).isEqualTo(before.input());
        assertThat(row.createdAt()).isEqualTo(before.createdAt());
        assertThat(row.updatedAt()).isAfterOrEqualTo(before.updatedAt());
    }

    @Test
    void a_write_without_steps_leaves_those_that_are_there() {
        UUID id = startedByA();

        submit(new Mutation(new Fence(id, 1, 0), SagaStatus.RUNNING, null, null, Hold.KEEP, List.of(), List.of()));

        assertThat(row(id).steps()).isEqualTo(STEPS);
        assertThat(row(id).seq()).isEqualTo(1);
    }

    @Test
    void a_reason_goes_when_a_write_has_none() {
        UUID id = startedByA();
        submit(write(id, 1, 0, SagaStatus.COMPENSATING, Hold.KEEP));

        submit(write(id, 1, 1, SagaStatus.RUNNING, Hold.KEEP));

        assertThat(row(id).reason()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, older epoch", "3, 1, newer epoch", "2, 0, older seq", "2, 2, newer seq"})
    void a_write_with_another_fence_leaves_nothing(long epoch, long seq, String fence) {
        UUID id = startedByA();
        submit(write(id, 1, 0));
        contract.age(id, LONG.plusSeconds(1));
        claim(10);
        InstanceRow before = row(id);
        Mutation stale = write(
                new Fence(id, epoch, seq),
                SagaStatus.COMPLETED,
                Hold.END,
                List.of(succeeded("reserve", "1")),
                List.of(compensation("reserve", 1)));

        assertThat(submit(stale)).as(fence).isEqualTo(Acceptance.STALE);

        assertThat(row(id)).isEqualTo(before);
        assertThat(store().history(id)).isEmpty();
        assertThat(store().compensations(id)).isEmpty();
    }

    @Test
    void a_write_to_an_unknown_saga_is_stale() {
        assertThat(submit(write(UUID.randomUUID(), 1, 0, succeeded("reserve", null))))
                .isEqualTo(Acceptance.STALE);
    }

    @Test
    void the_same_write_again_is_stale_and_leaves_one_line() {
        UUID id = startedByA();
        Mutation write = write(id, 1, 0, succeeded("reserve", "1"));

        assertThat(kindsOf(write)).containsExactly(Kind.ACCEPTED);
        assertThat(kindsOf(write)).containsExactly(Kind.STALE);

        assertThat(store().history(id)).hasSize(1);
    }

    @Test
    void of_ten_writers_with_one_fence_one_succeeds() {
        UUID id = startedByA();

        List<Kind> answers =
                Together.run(10, number -> submitPersistently(write(id, 1, 0, succeeded("writer-" + number, null))));

        assertThat(answers).containsOnlyOnce(Kind.ACCEPTED);
        assertThat(row(id).seq()).isEqualTo(1);
        assertThat(store().history(id)).hasSize(1);
    }

    @Test
    void a_stale_write_harms_no_neighbour_and_the_answers_keep_their_order() {
        UUID first = startedByA();
        UUID stale = startedByA();
        UUID last = startedByA();

        List<Kind> answers = kindsOf(
                write(first, 1, 0, succeeded("reserve", "1")),
                write(stale, 1, 7, succeeded("reserve", "2")),
                write(UUID.randomUUID(), 1, 0),
                write(last, 1, 0, succeeded("reserve", "3")));

        assertThat(answers).containsExactly(Kind.ACCEPTED, Kind.STALE, Kind.STALE, Kind.ACCEPTED);
        assertThat(store().history(first))
                .extracting(line -> line.entry().result())
                .containsExactly("1");
        assertThat(store().history(stale)).isEmpty();
        assertThat(store().history(last))
                .extracting(line -> line.entry().result())
                .containsExactly("3");
    }

    @Test
    void a_large_batch_is_answered_in_order() {
        List<UUID> ids = Stream.generate(this::startedByA).limit(60).toList();
        Mutation[] batch = new Mutation[60];
        Arrays.setAll(batch, i -> write(ids.get(i), 1, i % 3 == 0 ? 0 : 9, succeeded("s" + i, null)));

        List<Kind> answers = kindsOf(batch);

        assertThat(answers).hasSize(60);
        for (int i = 0; i < 60; i++) {
            assertThat(answers.get(i)).isEqualTo(i % 3 == 0 ? Kind.ACCEPTED : Kind.STALE);
            assertThat(store().history(ids.get(i))).hasSize(i % 3 == 0 ? 1 : 0);
        }
    }

    @Test
    void in_one_batch_each_write_has_an_answer_of_its_own() {
        List<UUID> ids = Stream.generate(this::startedByA).limit(7).toList();
        Mutation[] batch = {
            write(ids.get(0), 1, 0, succeeded("a", "0")),
            unfit(ids.get(1)),
            write(ids.get(2), 1, 7, succeeded("a", "2")),
            write(ids.get(3), 1, 0, succeeded("a", "3")),
            write(ids.get(4), 1, 0, succeeded("a", "4")),
            unfit(ids.get(5)),
            write(ids.get(6), 1, 0, succeeded("a", "6")),
            unfit(UUID.randomUUID())
        };

        contract.withRowLocked(
                ids.get(3),
                () -> assertThat(kindsOf(batch))
                        .containsExactly(
                                Kind.ACCEPTED,
                                Kind.REFUSED,
                                Kind.STALE,
                                Kind.LOCKED,
                                Kind.ACCEPTED,
                                Kind.REFUSED,
                                Kind.ACCEPTED,
                                Kind.STALE));

        for (int i = 0; i < ids.size(); i++) {
            boolean written = i % 2 == 0 && i != 2;
            assertThat(row(ids.get(i)).seq()).as("seq of %s", i).isEqualTo(written ? 1 : 0);
            assertThat(store().history(ids.get(i))).as("history of %s", i).hasSize(written ? 1 : 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "6", "12", "0;1", "5;6;7", "0;12", "1;3;5;7;9;11", "0;1;2;3;4;5;6;7;8;9;10;11;12"})
    void what_the_database_refuses_is_refused_alone_wherever_it_stands(String places) {
        List<String> bad = List.of(places.split(";"));
        List<UUID> ids = Stream.generate(this::startedByA).limit(13).toList();
        Mutation[] batch = new Mutation[13];
        Arrays.setAll(
                batch,
                i -> bad.contains(String.valueOf(i))
                        ? unfit(ids.get(i))
                        : write(ids.get(i), 1, 0, succeeded("a", null)));

        List<Kind> answers = kindsOf(batch);

        for (int i = 0; i < 13; i++) {
            boolean refused = bad.contains(String.valueOf(i));
            assertThat(answers.get(i)).as("answer %s", i).isEqualTo(refused ? Kind.REFUSED : Kind.ACCEPTED);
            assertThat(row(ids.get(i)).seq()).as("seq of %s", i).isEqualTo(refused ? 0 : 1);
            assertThat(store().history(ids.get(i))).hasSize(refused ? 0 : 1);
        }
    }

    @Test
    void an_empty_batch_has_an_empty_answer() {
        assertThat(submitAll()).isEmpty();
    }

    @Test
    void a_locked_row_stalls_no_neighbour() {
        UUID locked = startedByA();
        UUID free = startedByA();

        contract.withRowLocked(
                locked,
                () -> assertThat(kindsOf(write(locked, 1, 0, succeeded("a", null)), write(free, 1, 0)))
                        .containsExactly(Kind.LOCKED, Kind.ACCEPTED));

        assertThat(store().history(locked)).isEmpty();
        assertThat(kindsOf(write(locked, 1, 0))).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void keep_leaves_owner_and_due_time() {
        UUID id = startedByA();
        InstanceRow before = row(id);

        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.KEEP));

        assertThat(row(id).owner()).isEqualTo(LEASE_A.owner());
        assertThat(row(id).dueAt()).isEqualTo(before.dueAt());
    }

    @Test
    void extend_leaves_the_owner_and_begins_a_new_lease() {
        UUID id = startedByA();
        Instant before = dueAt(id);

        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.extend(LONG.multipliedBy(2))));

        assertThat(row(id).owner()).isEqualTo(LEASE_A.owner());
        assertThat(dueAt(id)).isBetween(before.plus(LONG), before.plus(LONG).plusSeconds(60));
    }

    @Test
    void release_nulls_the_owner_and_sets_the_due_time() {
        UUID id = startedByA();
        Instant before = dueAt(id);

        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(LONG.multipliedBy(2))));

        assertThat(row(id).owner()).isNull();
        assertThat(dueAt(id)).isBetween(before.plus(LONG), before.plus(LONG).plusSeconds(60));
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED", "COMPENSATED", "FAILED"})
    void the_end_nulls_owner_and_due_time(SagaStatus status) {
        UUID id = startedByA();

        submit(write(id, 1, 0, status, Hold.END));

        assertThat(row(id).status()).isEqualTo(status);
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isNull();
    }

    @Test // F027
    void what_is_active_has_a_due_time_and_nothing_else_has() {
        UUID id = startedByA();
        List<Mutation> life = List.of(
                write(id, 1, 0, SagaStatus.RUNNING, Hold.KEEP),
                write(id, 1, 1, SagaStatus.RUNNING, Hold.extend(LONG)),
                write(id, 1, 2, SagaStatus.COMPENSATING, Hold.KEEP),
                write(id, 1, 3, SagaStatus.FAILED, Hold.END),
                write(id, 1, 4, SagaStatus.COMPENSATING, Hold.release(Duration.ZERO)),
                write(id, 1, 5, SagaStatus.COMPENSATED, Hold.END));

        assertThat(life).allSatisfy(write -> {
            assertThat(submit(write)).isEqualTo(Acceptance.ACCEPTED);
            assertThat(row(id).dueAt() != null).isEqualTo(row(id).status().active());
        });
    }
}
