package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How sagas get into the store. */
abstract class StartCases extends StoreCases {
    private static final String TOO_LONG = "k".repeat(201);

    StartCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_saga_without_a_lease_is_nobodys_and_due_at_once() {
        NewInstance saga = keyed("key");

        assertThat(insert(saga)).isEqualTo(InsertResult.INSERTED);

        InstanceRow row = row(saga.sagaId());
        assertThat(row)
                .isEqualTo(new InstanceRow(
                        saga.sagaId(),
                        definition.definitionId(),
                        definition.name(),
                        1,
                        null,
                        "key",
                        HASH,
                        SagaStatus.RUNNING,
                        null,
                        STEPS,
                        saga.input(),
                        1,
                        0,
                        0,
                        null,
                        row.dueAt(),
                        null,
                        row.createdAt(),
                        row.updatedAt()));
        assertThat(idsOf(claim(10))).containsExactly(saga.sagaId());
    }

    @Test
    void a_saga_with_a_lease_is_its_owners_at_once() {
        InstanceRow row = row(startedByA());

        assertThat(row.epoch()).isEqualTo(1);
        assertThat(row.seq()).isZero();
        assertThat(row.owner()).isEqualTo(LEASE_A.owner());
        assertThat(row.dueAt()).isAfter(row.createdAt());
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void a_saga_with_nothing_to_do_has_neither_owner_nor_due_time() {
        NewInstance alone = saga(UUID.randomUUID(), definition, "a", SagaStatus.COMPLETED, null);
        NewInstance leased = saga(UUID.randomUUID(), definition, "b", SagaStatus.COMPLETED, LEASE_A);

        insertAll(List.of(alone, leased));

        assertThat(Stream.of(alone, leased).map(saga -> row(saga.sagaId()))).allSatisfy(row -> {
            assertThat(row.status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(row.owner()).isNull();
            assertThat(row.dueAt()).isNull();
        });
    }

    @Test
    void a_deadline_is_counted_from_the_creation() {
        NewInstance saga = new NewInstance(
                UUID.randomUUID(), definition, null, HASH, SagaStatus.RUNNING, STEPS, "1", 1, LONG, null);
        insert(saga);

        InstanceRow row = row(saga.sagaId());
        assertThat(row.deadline()).isNotNull();
        assertThat(Duration.between(row.createdAt(), row.deadline())).isEqualTo(LONG);
    }

    @Test
    void a_saga_is_found_by_its_key_within_its_type_only() {
        NewInstance saga = keyed("key");
        insert(saga);

        assertThat(store().find(definition.name(), "key").map(InstanceRow::sagaId))
                .contains(saga.sagaId());
        assertThat(store().find(definition.name(), "other")).isEmpty();
        assertThat(store().find(newName(), "key")).isEmpty();
        assertThat(store().find(UUID.randomUUID())).isEmpty();
    }

    @Test // F011, F013
    void the_same_key_again_finds_the_first_saga() {
        NewInstance first = keyed("key");
        insert(first);
        NewInstance second = keyed("key");

        InsertResult again = insert(second);

        assertThat(again.kind()).isEqualTo(Kind.EXISTS);
        assertThat(again.existing()).isEqualTo(row(first.sagaId()));
        assertThat(store().find(second.sagaId())).isEmpty();
    }

    @Test // F011
    void all_versions_of_a_type_share_their_keys() {
        NewInstance first = keyed("key");
        insert(first);
        RegisteredDefinition next = register(definition.name(), 2);

        InsertResult again = insert(keyed(next, "key"));

        assertThat(again.existing()).isEqualTo(row(first.sagaId()));
        assertThat(row(first.sagaId()).version()).isEqualTo(1);
    }

    @Test
    void another_type_has_keys_of_its_own() {
        insert(keyed("key"));

        assertThat(insert(keyed(register(newName(), 1), "key"))).isEqualTo(InsertResult.INSERTED);
    }

    @Test
    void the_same_id_again_finds_the_first_saga() {
        NewInstance first = keyed("first");
        insert(first);

        InsertResult again = insert(saga(first.sagaId(), definition, "second", SagaStatus.RUNNING, LEASE_A));

        assertThat(again.kind()).isEqualTo(Kind.EXISTS);
        assertThat(again.existing()).isEqualTo(row(first.sagaId()));
        assertThat(row(first.sagaId()).businessKey()).isEqualTo("first");
        assertThat(row(first.sagaId()).owner()).isNull();
    }

    @Test
    void without_a_key_there_may_be_many() {
        assertThat(insertAll(List.of(unowned(), unowned(), unowned())))
                .containsOnly(InsertResult.INSERTED)
                .hasSize(3);
    }

    @Test
    void one_key_twice_in_a_batch_is_one_saga() {
        NewInstance first = keyed("key");

        List<InsertResult> results = insertAll(List.of(first, keyed("key")));

        assertThat(results).extracting(InsertResult::kind).containsExactly(Kind.INSERTED, Kind.EXISTS);
        assertThat(results.get(1).existing()).isEqualTo(row(first.sagaId()));
    }

    @Test
    void a_refused_row_harms_no_neighbour_and_the_answers_keep_their_order() {
        insert(keyed("taken"));
        NewInstance first = keyed("first");
        NewInstance last = keyed("last");

        List<InsertResult> results = insertAll(List.of(first, keyed(TOO_LONG), keyed("taken"), last));

        assertThat(results)
                .extracting(InsertResult::kind)
                .containsExactly(Kind.INSERTED, Kind.REFUSED, Kind.EXISTS, Kind.INSERTED);
        assertThat(results.get(1).cause()).isNotNull();
        assertThat(row(first.sagaId()).businessKey()).isEqualTo("first");
        assertThat(row(last.sagaId()).businessKey()).isEqualTo("last");
    }

    @Test
    void an_empty_batch_has_an_empty_answer() {
        assertThat(insertAll(List.of())).isEmpty();
    }

    @Test // F011, F013
    void twenty_threads_with_one_key_make_one_saga_and_all_get_its_id() {
        List<UUID> ids = Together.run(20, number -> {
            NewInstance saga = keyed("key");
            InsertResult result = insert(saga);
            InstanceRow existing = result.existing();
            return existing == null ? saga.sagaId() : existing.sagaId();
        });

        assertThat(new HashSet<>(ids)).hasSize(1);
        assertThat(store().find(definition.name(), "key").map(InstanceRow::sagaId))
                .contains(ids.get(0));
    }

    @Test // F043, X5
    void keys_that_only_look_alike_are_five_sagas() {
        List<String> keys = List.of("a", "A", "a ", "\u00e4", "a\u0308");

        assertThat(insertAll(keys.stream().map(this::keyed).toList())).containsOnly(InsertResult.INSERTED);

        assertThat(keys)
                .allSatisfy(
                        key -> assertThat(store().find(definition.name(), key).map(InstanceRow::businessKey))
                                .contains(key));
    }

    @Test // X7
    void a_locked_saga_stalls_neither_a_start_with_its_key_nor_a_reader() {
        NewInstance first = keyed("key");
        insert(first);

        contract.withRowLocked(first.sagaId(), () -> {
            assertThat(insert(keyed("key")).existing()).isEqualTo(row(first.sagaId()));
            assertThat(store().find(definition.name(), "key")).isPresent();
        });
    }

    @Test
    void a_key_stays_taken_when_its_saga_has_ended() {
        insert(saga(UUID.randomUUID(), definition, "key", SagaStatus.COMPLETED, null));

        assertThat(insert(keyed("key")).kind()).isEqualTo(Kind.EXISTS);
    }
}
