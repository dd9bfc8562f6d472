package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The audit of what operators do. */
abstract class AuditCases extends OperatorRows {
    private final UUID saga = UUID.randomUUID();

    AuditCases(SagaStoreContract contract) {
        super(contract);
    }

    private List<AuditRow> all() {
        return store().audit(new AuditQuery(saga, null, null, 1000));
    }

    private List<@Nullable String> keys(AuditQuery query) {
        return store().audit(query).stream()
                .map(row -> row.entry().requestKey())
                .toList();
    }

    static Stream<AuditEntry> entries() {
        UUID id = UUID.randomUUID();
        String odd = "<b>'bold'</b> \\ % \u05d0\u202e \ud83d\ude00\n\t";
        return Stream.of(
                entry(id, null),
                entry(id, "request", odd, odd),
                entry(id, "k".repeat(200), "a".repeat(200), "r".repeat(500)),
                new AuditEntry(id, "cancel", "ada", "why", false, "RUNNING", "RUNNING, cancel waits", true, "k", "n"));
    }

    @ParameterizedTest
    @MethodSource("entries")
    void a_row_comes_back_as_it_was_written(AuditEntry entry) { // R3
        UUID held = startedByA();

        assertThat(audit(entry)).isTrue();

        AuditRow row =
                store().audit(new AuditQuery(entry.sagaId(), null, null, 10)).get(0);
        assertThat(row.entry()).isEqualTo(entry);
        assertThat(Duration.between(inspected(held).now(), row.at()).abs()).isLessThan(Duration.ofMinutes(1));
    }

    static Stream<AuditEntry> refused() {
        UUID id = UUID.randomUUID();
        return Stream.of(
                entry(id, "\u0000"),
                entry(id, null, "a\ud83db", "why"),
                entry(id, null, "ada", "\u0000"),
                entry(id, "k".repeat(201)),
                entry(id, null, "a".repeat(201), "why"),
                entry(id, null, "ada", "r".repeat(501)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void a_row_that_does_not_fit_is_refused_and_the_transaction_goes_on(AuditEntry entry) {
        inTransaction(() -> {
            assertThatThrownBy(() -> store().audit(entry)).isInstanceOf(SagaStoreException.class);
            return store().audit(entry(saga, "fine"));
        });

        assertThat(all()).hasSize(1);
    }

    @Test
    void ids_rise_and_the_newest_is_first() {
        IntStream.range(0, 5).forEach(number -> audit(entry(saga, "k" + number)));

        assertThat(all()).extracting(row -> row.entry().requestKey()).containsExactly("k4", "k3", "k2", "k1", "k0");
        List<Long> ids = all().stream().map(AuditRow::id).toList();
        assertThat(ids)
                .isSortedAccordingTo((one, other) -> Long.compare(other, one))
                .doesNotHaveDuplicates();
    }

    @Test
    void each_filter_leaves_out_the_others() {
        UUID other = UUID.randomUUID();
        String key = "key-" + UUID.randomUUID();
        audit(entry(saga, key));
        audit(entry(saga, "b"));
        audit(entry(other, key));

        assertThat(keys(new AuditQuery(saga, null, null, 10))).containsExactly("b", key);
        assertThat(keys(new AuditQuery(saga, key, null, 10))).containsExactly(key);
        assertThat(store().audit(new AuditQuery(null, key, null, 10)))
                .extracting(row -> row.entry().sagaId())
                .containsExactly(other, saga);
        assertThat(keys(new AuditQuery(saga, "nobody's", null, 10))).isEmpty();
        assertThat(keys(new AuditQuery(UUID.randomUUID(), null, null, 10))).isEmpty();
        assertThat(keys(new AuditQuery(null, null, null, 1))).hasSize(1);
    }

    @Test
    void pages_leave_out_nothing_and_show_nothing_twice_while_others_write() {
        IntStream.range(0, 25).forEach(number -> audit(entry(saga, "k" + number)));
        List<AuditRow> seen = new ArrayList<>();

        List<AuditRow> page = store().audit(new AuditQuery(saga, null, null, 10));
        while (!page.isEmpty()) {
            seen.addAll(page);
            audit(entry(saga, "later-" + seen.size()));
            page = store().audit(
                            new AuditQuery(saga, null, page.get(page.size() - 1).id(), 10));
        }

        assertThat(seen)
                .extracting(row -> row.entry().requestKey())
                .containsExactlyElementsOf(IntStream.range(0, 25)
                        .mapToObj(number -> "k" + (24 - number))
                        .toList());
    }

    @Test // R5
    void a_request_key_is_taken_once_per_saga_and_the_transaction_goes_on() {
        audit(entry(saga, "key", "first", "why"));

        inTransaction(() -> {
            assertThat(store().audit(entry(saga, "key", "second", "why"))).isFalse();
            assertThat(store().audit(entry(UUID.randomUUID(), "key"))).isTrue();
            assertThat(store().audit(entry(saga, "KEY"))).isTrue();
            assertThat(store().audit(entry(saga, "key "))).isTrue();
            return store().audit(entry(saga, "KEY"));
        });

        assertThat(all()).extracting(row -> row.entry().requestKey()).containsExactly("key ", "KEY", "key");
        assertThat(all().get(2).entry().actor()).isEqualTo("first");
    }

    @Test
    void rows_without_a_request_key_are_never_in_the_way_of_each_other() {
        assertThat(audit(entry(saga, null))).isTrue();
        assertThat(audit(entry(saga, null))).isTrue();

        assertThat(all()).hasSize(2);
    }

    @Test // R5
    void of_five_with_the_same_request_key_at_once_one_is_first() {
        assertThat(Together.run(5, number -> audit(entry(saga, "key")))).containsOnlyOnce(true);
        assertThat(all()).hasSize(1);
    }

    @Test
    void a_row_that_was_rolled_back_never_was_and_its_key_is_free() {
        rolledBack(() -> store().audit(entry(saga, "key")));

        assertThat(all()).isEmpty();
        assertThat(audit(entry(saga, "key"))).isTrue();
    }

    @Test
    void before_the_commit_only_the_writer_sees_a_row() {
        inTransaction(() -> {
            store().audit(entry(saga, "key"));
            assertThat(all()).hasSize(1);
            assertThat(elsewhere(this::all)).isEmpty();
            return "";
        });
    }

    @Test
    void outside_a_transaction_it_is_refused() {
        assertThatThrownBy(() -> store().audit(entry(saga, null))).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @MethodSource("io.backstep.saga.test.ListFilterCases#hostile")
    void hostile_request_keys_are_found_literally(String key) { // R13
        audit(entry(saga, "harmless"));

        assertThat(keys(new AuditQuery(saga, key, null, 10))).isEmpty();
    }
}
