package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deletes what ended long ago. All that is old here is years old, so that nobody else's sagas go. */
abstract class RetentionCases extends OperatorRows {
    private static final Duration KEPT = Duration.ofDays(1000);
    private static final Duration OLD = Duration.ofDays(1001);
    private static final Duration YOUNG = Duration.ofDays(999);
    private static final Map<SagaStatus, Duration> ALL =
            Map.of(SagaStatus.COMPLETED, KEPT, SagaStatus.COMPENSATED, KEPT, SagaStatus.FORCE_COMPLETED, KEPT);

    RetentionCases(SagaStoreContract contract) {
        super(contract);
    }

    private UUID old(SagaStatus status) {
        return aged(written(status), OLD);
    }

    private UUID aged(UUID id, Duration by) {
        contract.age(id, by);
        return id;
    }

    private boolean isThere(UUID id) {
        return store().find(id).isPresent();
    }

    /** Slice after slice, to the end of the table. */
    private int purge(Map<SagaStatus, Duration> ages) {
        return purge(ages, Set.of(definition.typeId()));
    }

    private int purge(Map<SagaStatus, Duration> ages, Set<Integer> typeIds) {
        int sagas = 0;
        UUID after = null;
        do {
            Purged purged = store().purge(new PurgeRequest(ages, typeIds, after, 500));
            sagas += purged.sagas();
            after = purged.last();
        } while (after != null);
        return sagas;
    }

    @Test
    void what_ended_long_ago_goes_and_all_else_stays() { // F173
        Map<SagaStatus, UUID> old = new EnumMap<>(SagaStatus.class);
        Map<SagaStatus, UUID> young = new EnumMap<>(SagaStatus.class);
        Map<SagaStatus, UUID> now = new EnumMap<>(SagaStatus.class);
        for (SagaStatus status : SagaStatus.values()) {
            old.put(status, old(status));
            young.put(status, aged(written(status), YOUNG));
            now.put(status, written(status));
        }

        purge(ALL);

        old.forEach((status, id) -> assertThat(isThere(id)).as(status + ", old").isEqualTo(!status.ended()));
        young.forEach(
                (status, id) -> assertThat(isThere(id)).as(status + ", young").isTrue());
        now.forEach((status, id) -> assertThat(isThere(id)).as(status + ", now").isTrue());
    }

    @Test
    void what_is_of_other_types_stays_and_all_versions_of_a_type_go() { // F086
        RegisteredDefinition later = register(definition.name(), 2);
        RegisteredDefinition another = register(newName(), 1);
        UUID first = endedLongAgo(definition);
        UUID second = endedLongAgo(later);
        UUID other = endedLongAgo(another);

        purge(ALL, Set.of());
        assertThat(List.of(first, second, other)).allMatch(this::isThere);
        purge(ALL, Set.of(definition.typeId()));
        assertThat(List.of(first, second)).noneMatch(this::isThere);
        assertThat(isThere(other)).isTrue();
        purge(ALL, Set.of(definition.typeId(), another.typeId()));
        assertThat(isThere(other)).isFalse();
    }

    private UUID endedLongAgo(RegisteredDefinition of) {
        NewInstance saga = saga(UUID.randomUUID(), of, null, SagaStatus.RUNNING, LEASE_A);
        return aged(written(saga, SagaStatus.COMPLETED), OLD);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "COMPENSATED", "FORCE_COMPLETED"})
    void each_status_has_an_age_of_its_own_or_is_kept(SagaStatus status) {
        UUID id = old(status);

        purge(Map.of());
        assertThat(isThere(id)).isTrue();
        purge(Map.of(status, OLD.multipliedBy(2)));
        assertThat(isThere(id)).isTrue();
        for (SagaStatus other : ALL.keySet()) {
            if (other != status) {
                purge(Map.of(other, KEPT));
            }
        }
        assertThat(isThere(id)).isTrue();

        purge(Map.of(status, KEPT));
        assertThat(isThere(id)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"RUNNING", "COMPENSATING", "FAILED"})
    void what_has_not_ended_cannot_even_be_asked_for(SagaStatus status) {
        assertThatThrownBy(() -> new PurgeRequest(Map.of(status, KEPT), Set.of(), null, 10))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_age_counts_from_the_last_write() {
        UUID id = aged(startedByA(), OLD);
        submit(write(id, 1, 0, SagaStatus.COMPLETED, Hold.END));

        purge(ALL);

        assertThat(isThere(id)).isTrue();
    }

    @Test
    void ages_without_end_are_no_trouble() {
        UUID id = old(SagaStatus.COMPLETED);

        purge(Map.of(SagaStatus.COMPLETED, Duration.ofSeconds(Long.MAX_VALUE)));

        assertThat(isThere(id)).isTrue();
    }

    @Test
    void all_that_is_of_the_saga_goes_and_the_audit_stays() {
        UUID id = startedByA();
        Mutation end = write(
                new Fence(id, 1, 0),
                SagaStatus.COMPENSATED,
                Hold.END,
                List.of(succeeded("a", "1")),
                List.of(compensation("a", 1)));
        submit(end);
        post(id, "m1");
        audit(entry(id, "key"));
        UUID neighbour = written(SagaStatus.COMPENSATED);
        post(neighbour, "m1");
        aged(id, OLD);

        purge(ALL);

        assertThat(store().find(id)).isEmpty();
        assertThat(store().history(id)).isEmpty();
        assertThat(store().compensations(id)).isEmpty();
        assertThat(post(id, "m1")).as("the message is unknown again").isTrue();
        assertThat(store().audit(new AuditQuery(id, null, null, 10))).hasSize(1);
        assertThat(inspected(neighbour).mail()).hasSize(1);
    }

    @Test
    void the_business_key_is_free_again() { // F143
        NewInstance first = saga(UUID.randomUUID(), definition, "key", SagaStatus.RUNNING, LEASE_A);
        written(first, SagaStatus.COMPLETED);
        assertThat(insert(keyed("key")).kind()).isEqualTo(InsertResult.Kind.EXISTS);
        aged(first.sagaId(), OLD);

        purge(ALL);

        NewInstance second = keyed("key");
        assertThat(insert(second)).isEqualTo(InsertResult.INSERTED);
        assertThat(store().find(definition.name(), "key").orElseThrow().sagaId())
                .isEqualTo(second.sagaId());
    }

    @Test
    void a_locked_row_is_left_to_the_next_time() {
        UUID locked = old(SagaStatus.COMPLETED);
        UUID free = old(SagaStatus.COMPLETED);

        contract.withRowLocked(locked, () -> elsewhere(() -> purge(ALL)));
        assertThat(isThere(locked)).isTrue();
        assertThat(isThere(free)).isFalse();

        purge(ALL);
        assertThat(isThere(locked)).isFalse();
    }

    /** Sagas side by side in the order of ids. */
    private List<UUID> row(int sagas) {
        long high = UUID.randomUUID().getMostSignificantBits();
        return IntStream.range(0, sagas)
                .mapToObj(number -> saga(
                        new UUID(high, 0x7fff_ffff_ffff_fff8L + number), definition, null, SagaStatus.RUNNING, LEASE_A))
                .map(saga -> written(saga, SagaStatus.COMPLETED))
                .toList();
    }

    private Purged slice(@Nullable UUID after, int limit) {
        return store().purge(new PurgeRequest(ALL, Set.of(definition.typeId()), after, limit));
    }

    @Test
    void a_slice_has_so_many_rows_and_ends_with_the_last_whether_they_go_or_not() { // F053
        List<UUID> ids = row(15); // on both sides of 0x8000...
        UUID before = new UUID(ids.get(0).getMostSignificantBits(), 1);
        List<UUID> even = IntStream.range(0, 15)
                .filter(number -> number % 2 == 0)
                .mapToObj(ids::get)
                .toList();
        even.forEach(id -> aged(id, OLD));

        Purged first = slice(before, 5);
        assertThat(first).isEqualTo(new Purged(3, ids.get(4)));
        assertThat(ids.stream().filter(this::isThere)).hasSize(12);
        Purged second = slice(first.last(), 5);
        assertThat(second).isEqualTo(new Purged(2, ids.get(9)));
        Purged third = slice(second.last(), 5);
        assertThat(third).isEqualTo(new Purged(3, ids.get(14)));

        assertThat(ids.stream().filter(this::isThere)).hasSize(7).doesNotContainAnyElementsOf(even);
    }

    @Test
    void the_last_slice_says_so() {
        UUID top = new UUID(-1, UUID.randomUUID().getLeastSignificantBits() | Long.MIN_VALUE);
        insert(saga(top, definition, null, SagaStatus.RUNNING, LEASE_A));

        Purged last = slice(top, 1000);

        assertThat(last.last()).isNull();
        List<UUID> ends = new ArrayList<>();
        UUID after = null;
        do {
            after = slice(after, 100).last();
            if (after != null) {
                ends.add(after);
            }
        } while (after != null);
        assertThat(ends).doesNotHaveDuplicates();
        assertThat(isThere(top)).isTrue();
    }

    @Test
    void two_who_delete_at_once_delete_each_saga_once() {
        List<UUID> ids = row(15);
        ids.forEach(id -> aged(id, OLD));
        UUID before = new UUID(ids.get(0).getMostSignificantBits(), 1);

        List<Purged> purged = Together.run(3, number -> slice(before, 15));

        assertThat(purged.stream().mapToInt(Purged::sagas).sum()).isLessThanOrEqualTo(15);
        slice(before, 15);
        assertThat(ids.stream().filter(this::isThere)).isEmpty();
    }
}
