package io.backstep.saga.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the in-memory store does beyond the contract. */
class InMemoryTransactionsTest {
    private static final Instant START = Instant.parse("2026-03-29T00:59:50.123456789Z");

    private Instant now = START;
    private final InMemorySagaStore store = new InMemorySagaStore(() -> now);
    private final InMemoryTransactions transactions = store.transactions();
    private final RegisteredDefinition definition = store.register("order", 1, "fingerprint");

    @Test
    void time_is_the_clocks_cut_to_microseconds() {
        NewInstance saga = saga(null, null);

        insert(saga);

        Instant cut = Instant.parse("2026-03-29T00:59:50.123456Z");
        assertThat(row(saga).createdAt()).isEqualTo(cut);
        assertThat(row(saga).dueAt()).isEqualTo(cut);
        assertThat(row(saga).updatedAt()).isEqualTo(cut);
    }

    @Test
    void a_lease_runs_out_at_the_end_of_its_last_microsecond() {
        now = Instant.parse("2026-03-29T00:59:50Z");
        insert(saga(null, new Lease("node-a", Duration.ofNanos(1_500))));

        now = now.plusNanos(1_999);
        assertThat(claim()).isEmpty();
        now = now.plusNanos(1);
        assertThat(claim()).hasSize(1);
    }

    @Test
    void a_row_can_be_edited_past_all_fences() {
        NewInstance saga = saga(null, null);
        insert(saga);

        store.edit(saga.sagaId(), row -> MemoryRows.held(row, 42, new Lease("somebody", Duration.ofHours(1)), now));

        assertThat(row(saga).epoch()).isEqualTo(42);
        assertThat(claim()).isEmpty();
        assertThatThrownBy(() -> store.edit(UUID.randomUUID(), row -> row))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void effects_in_memory_are_taken_back_in_reverse_order_after_a_rollback_only() throws Exception {
        List<String> seen = new ArrayList<>();

        transactions.inTransaction(() -> {
            transactions.afterRollback(() -> seen.add("never"));
            return "";
        });
        assertThatThrownBy(() -> transactions.inTransaction(() -> {
                    transactions.afterRollback(() -> seen.add("first effect"));
                    transactions.afterRollback(() -> seen.add("second effect"));
                    throw new IOException("rolled back");
                }))
                .isInstanceOf(IOException.class);

        assertThat(seen).containsExactly("second effect", "first effect");
    }

    @Test
    void effects_of_stale_work_are_taken_back() {
        NewInstance saga = saga(null, null);
        insert(saga);
        List<String> seen = new ArrayList<>();

        store.inTransaction(
                () -> {
                    transactions.afterRollback(() -> seen.add("taken back"));
                    return new Mutation(
                            new Fence(saga.sagaId(), 7, 7),
                            SagaStatus.RUNNING,
                            null,
                            null,
                            Hold.KEEP,
                            List.of(),
                            List.of());
                },
                (answer, failure) -> seen.add(String.valueOf(answer)));

        assertThat(seen).containsExactly("taken back", String.valueOf(Acceptance.STALE));
    }

    @Test
    void a_read_only_transaction_says_so_and_inserts_nothing() throws Exception {
        NewInstance saga = saga(null, null);

        boolean readOnly = transactions.inReadOnlyTransaction(() -> {
            assertThatThrownBy(() -> store.insertJoined(saga)).isInstanceOf(SagaStoreException.class);
            return transactions.isReadOnly();
        });

        assertThat(readOnly).isTrue();
        assertThat(transactions.isReadOnly()).isFalse();
        assertThat(store.find(saga.sagaId())).isEmpty();
    }

    @Test
    void a_joined_start_outside_a_transaction_is_refused() {
        assertThatThrownBy(() -> store.insertJoined(saga(null, null))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void waiting_for_the_own_outer_transaction_is_a_deadlock_that_may_be_rerun() throws Exception {
        Throwable failure = transactions.inTransaction(() -> {
            store.insertJoined(saga("key", null));
            List<Throwable> failures = new ArrayList<>();
            store.insert(List.of(saga("key", null)), (answer, thrown) -> failures.add(thrown));
            return failures.get(0);
        });

        assertThat(failure).isInstanceOf(SagaStoreException.class).hasMessageContaining("SAGA-DB-902");
        assertThat(store.isTransient(new IllegalStateException(failure))).isTrue();
        assertThat(store.find("order", "key")).isPresent();
    }

    @Test
    void of_two_that_wait_for_each_other_one_goes_on() throws Exception {
        CountDownLatch bothHaveOne = new CountDownLatch(2);
        Executor threads = task -> new Thread(task).start(); // not the common pool: it may have one thread only

        CompletableFuture<Boolean> one =
                CompletableFuture.supplyAsync(() -> insertsBoth(bothHaveOne, "a", "b"), threads);
        CompletableFuture<Boolean> other =
                CompletableFuture.supplyAsync(() -> insertsBoth(bothHaveOne, "b", "a"), threads);

        assertThat(List.of(one.get(), other.get())).containsExactlyInAnyOrder(true, false);
        assertThat(store.find("order", "a")).isPresent();
        assertThat(store.find("order", "b")).isPresent();
    }

    private boolean insertsBoth(CountDownLatch bothHaveOne, String first, String second) {
        try {
            return transactions.inTransaction(() -> {
                store.insertJoined(saga(first, null));
                bothHaveOne.countDown();
                bothHaveOne.await();
                store.insertJoined(saga(second, null));
                return true;
            });
        } catch (Exception e) {
            assertThat(store.isTransient(e)).isTrue();
            return false;
        }
    }

    @Test
    void a_write_that_would_leave_an_active_saga_without_a_due_time_is_refused() {
        NewInstance saga = saga(null, new Lease("node-a", Duration.ofHours(1)));
        insert(saga);
        List<Acceptance> answers = new ArrayList<>();

        store.submit(
                List.of(new Mutation(
                        new Fence(saga.sagaId(), 1, 0),
                        SagaStatus.RUNNING,
                        null,
                        null,
                        Hold.END,
                        List.of(),
                        List.of())),
                (answer, failure) -> answers.addAll(answer));

        assertThat(answers).extracting(Acceptance::kind).containsExactly(Acceptance.Kind.REFUSED);
    }

    @ParameterizedTest // F034
    @ValueSource(strings = {"nul \u0000", "half a pair \ud83d", "\ude00"})
    void what_one_of_the_databases_cannot_keep_is_refused(String text) {
        List<InsertResult> results = new ArrayList<>();
        store.insert(List.of(saga(text, null)), (answer, failure) -> results.addAll(answer));
        NewInstance saga = saga(null, null);
        insert(saga);
        List<Acceptance> answers = new ArrayList<>();
        store.submit(
                List.of(new Mutation(
                        new Fence(saga.sagaId(), 0, 0),
                        SagaStatus.RUNNING,
                        null,
                        text,
                        Hold.KEEP,
                        List.of(),
                        List.of())),
                (answer, failure) -> answers.addAll(answer));

        assertThat(results).extracting(InsertResult::kind).containsExactly(InsertResult.Kind.REFUSED);
        assertThat(answers).extracting(Acceptance::kind).containsExactly(Acceptance.Kind.REFUSED);
        assertThat(row(saga).seq()).isZero();
    }

    private void insert(NewInstance saga) {
        store.insert(List.of(saga), (answer, failure) -> assertThat(answer).containsExactly(InsertResult.INSERTED));
    }

    private InstanceRow row(NewInstance saga) {
        return store.find(saga.sagaId()).orElseThrow();
    }

    private List<Claimed> claim() {
        List<Claimed> claimed = new ArrayList<>();
        store.claim(
                new ClaimRequest(new Lease("node-b", Duration.ofHours(1)), 10, List.of(definition.definitionId())),
                (answer, failure) -> claimed.addAll(answer));
        return claimed;
    }

    private NewInstance saga(@Nullable String key, @Nullable Lease lease) {
        return new NewInstance(
                UUID.randomUUID(), definition, key, "hash", SagaStatus.RUNNING, "{}", "{}", 1, null, lease);
    }
}
