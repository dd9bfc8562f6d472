package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists, page by page. */
abstract class ListCases extends OperatorRows {
    private static final Set<StepStatus> AT_IT = EnumSet.of(
            StepStatus.EXECUTING,
            StepStatus.WAITING,
            StepStatus.UNKNOWN,
            StepStatus.COMPENSATING,
            StepStatus.COMPENSATION_FAILED);

    ListCases(SagaStoreContract contract) {
        super(contract);
    }

    /** What somebody types into a search box who means no good, or nothing. */
    static Stream<String> hostile() {
        return Stream.of(
                "%",
                "_",
                "%%",
                "\\",
                "\\%",
                "!",
                "!%",
                "[a-z]",
                "*",
                "'",
                "''",
                "' or '1'='1",
                "\"",
                "\"],\"",
                "; drop table saga_instance; --",
                "x".repeat(1000),
                "%".repeat(1000),
                "\u0000",
                "a\u0000",
                "\ud83d",
                "\u05d0\u202e",
                "\n",
                " ",
                "",
                "null");
    }

    private ListQuery all() {
        return query(null, null, null);
    }

    private ListQuery query(@Nullable SagaStatus status, @Nullable String businessKey, @Nullable String step) {
        return new ListQuery(status, definition.name(), businessKey, step, null, null, null, 100);
    }

    private ListQuery created(@Nullable Instant from, @Nullable Instant to) {
        return new ListQuery(null, definition.name(), null, null, from, to, null, 100);
    }

    private List<UUID> ids(ListQuery query) {
        return store().list(query).stream().map(InstanceSummary::sagaId).toList();
    }

    private UUID inserted(NewInstance saga) {
        insert(saga);
        return saga.sagaId();
    }

    private UUID withSteps(String steps) {
        return inserted(new NewInstance(
                UUID.randomUUID(), definition, null, HASH, SagaStatus.RUNNING, steps, "{}", 1, null, LEASE_A));
    }

    private UUID withId(long high, long low) {
        return inserted(saga(new UUID(high, low), definition, null, SagaStatus.RUNNING, null));
    }

    /** Written as bytes are compared. */
    private static String hex(UUID id) {
        return id.toString();
    }

    // --- what is shown

    @ParameterizedTest
    @EnumSource(SagaStatus.class)
    void a_saga_is_shown_as_its_row_is(SagaStatus status) {
        NewInstance saga = saga(UUID.randomUUID(), definition, "key", SagaStatus.RUNNING, LEASE_A);
        InstanceRow row = row(written(saga, status));

        assertThat(store().list(all()))
                .containsExactly(new InstanceSummary(
                        row.sagaId(),
                        row.name(),
                        row.version(),
                        row.businessKey(),
                        row.status(),
                        row.reason(),
                        row.owner(),
                        row.dueAt(),
                        row.createdAt(),
                        row.updatedAt()));
    }

    @Test
    void an_owner_and_a_version_are_shown() {
        RegisteredDefinition second = register(definition.name(), 2);
        inserted(owned(LEASE_A));
        inserted(saga(UUID.randomUUID(), second, null, SagaStatus.RUNNING, LEASE_B));

        assertThat(store().list(all()))
                .extracting(InstanceSummary::version, InstanceSummary::owner)
                .containsExactlyInAnyOrder(tuple(1, LEASE_A.owner()), tuple(2, LEASE_B.owner()));
    }

    // --- order and pages

    @Test
    void ids_are_compared_byte_by_byte() {
        long random = UUID.randomUUID().getLeastSignificantBits() >>> 8;
        long high = 0x0000_7fff_ffff_7000L;
        List<UUID> rising = List.of(
                withId(0x0000_0000_0000_0000L | random, 1),
                withId(high | (random & 0xfff), 0x0123_4567_89ab_cdefL),
                withId(high | (random & 0xfff), 0x7fff_ffff_ffff_ffffL),
                withId(high | (random & 0xfff), 0x8000_0000_0000_0000L),
                withId(high | (random & 0xfff), 0xffff_ffff_ffff_fffeL),
                withId(0x7f00_0000_0000_0000L | random, 2),
                withId(0x8000_0000_0000_0000L | random, 3),
                withId(0xff00_0000_0000_0000L | random, 4));
        List<UUID> falling = rising.stream()
                .sorted(Comparator.comparing(ListCases::hex).reversed())
                .toList();

        assertThat(ids(all())).isEqualTo(falling);
        for (int i = 0; i < falling.size(); i++) {
            ListQuery after = new ListQuery(null, definition.name(), null, null, null, null, falling.get(i), 100);
            assertThat(ids(after)).isEqualTo(falling.subList(i + 1, falling.size()));
        }
    }

    @Test
    void pages_of_a_thousand_leave_out_nothing_and_show_nothing_twice_while_others_start() {
        List<UUID> there = new ArrayList<>();
        for (int batch = 0; batch < 10; batch++) {
            List<NewInstance> sagas =
                    IntStream.range(0, 100).mapToObj(number -> unowned()).toList();
            insertAll(sagas);
            sagas.forEach(saga -> there.add(saga.sagaId()));
        }
        List<UUID> seen = new ArrayList<>();
        Set<UUID> late = new HashSet<>();

        UUID last = null;
        List<UUID> page = List.of(UUID.randomUUID());
        while (!page.isEmpty()) {
            page = ids(new ListQuery(null, definition.name(), null, null, null, null, last, 37));
            assertThat(page).hasSizeLessThanOrEqualTo(37);
            seen.addAll(page);
            last = page.isEmpty() ? last : page.get(page.size() - 1);
            late.add(due());
        }

        assertThat(seen)
                .isSortedAccordingTo(Comparator.comparing(ListCases::hex).reversed());
        assertThat(seen).doesNotHaveDuplicates().containsAll(there);
        assertThat(seen.stream().filter(id -> !late.contains(id))).hasSize(1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void no_page_is_longer_than_asked_for(int limit) {
        due();
        due();
        due();

        assertThat(ids(new ListQuery(null, definition.name(), null, null, null, null, null, limit)))
                .hasSize(limit);
    }

    // --- filters

    @ParameterizedTest
    @EnumSource(SagaStatus.class)
    void by_status(SagaStatus wanted) {
        List<UUID> all = Stream.of(SagaStatus.values()).map(this::written).toList();

        assertThat(ids(query(wanted, null, null))).containsExactly(all.get(wanted.ordinal()));
    }

    @Test
    void by_the_name_of_the_type_whatever_the_version() {
        RegisteredDefinition other = register(newName(), 1);
        RegisteredDefinition second = register(definition.name(), 2);
        UUID first = due();
        UUID later = due(second);
        due(other);

        assertThat(ids(all())).containsExactlyInAnyOrder(first, later);
        assertThat(ids(new ListQuery(null, newName(), null, null, null, null, null, 10)))
                .isEmpty();
    }

    @Test
    void by_business_key_exactly() {
        List<String> keys = List.of("a", "A", "a ", " a", "a%", "a_", "\u00e4", "a\u0308", "a\\", "a'", "aa");
        List<UUID> all = keys.stream().map(key -> inserted(keyed(key))).toList();

        for (int i = 0; i < keys.size(); i++) {
            assertThat(ids(query(null, keys.get(i), null))).containsExactly(all.get(i));
        }
    }

    @Test
    void a_business_key_alone_finds_the_sagas_of_all_types() {
        String key = "key-" + UUID.randomUUID();
        UUID one = inserted(keyed(key));
        UUID other = inserted(keyed(register(newName(), 1), key));

        assertThat(ids(new ListQuery(null, null, key, null, null, null, null, 10)))
                .containsExactlyInAnyOrder(one, other);
    }

    @ParameterizedTest
    @EnumSource(StepStatus.class)
    void by_the_step_that_it_is_at(StepStatus status) {
        UUID id = withSteps("{\"steps\":{\"book\":[\"SUCCEEDED\",0,0,0,0,1],\"pay\":[\"" + status + "\",2]}}");

        assertThat(ids(query(null, null, "pay"))).isEqualTo(AT_IT.contains(status) ? List.of(id) : List.of());
        assertThat(ids(query(null, null, "book"))).isEmpty();
    }

    @Test
    void steps_of_similar_names_are_told_apart() {
        UUID pay = withSteps("{\"steps\":{\"a_b\":[\"EXECUTING\"]}}");
        withSteps("{\"steps\":{\"axb\":[\"EXECUTING\"]}}");
        withSteps("{\"steps\":{\"a_b2\":[\"EXECUTING\"],\"x.a_b\":[\"WAITING\"],\"A_B\":[\"UNKNOWN\"]}}");
        withSteps("{\"turned\":\"REJECTED\",\"steps\":{\"a_b\":[\"PENDING\"],\"c\":[\"EXECUTING\"]}}");

        assertThat(ids(query(null, null, "a_b"))).containsExactly(pay);
    }

    @Test
    void by_the_time_of_its_creation() {
        UUID id = due();
        Instant created = row(id).createdAt();

        assertThat(ids(created(created, null))).containsExactly(id);
        assertThat(ids(created(created.plusNanos(1000), null))).isEmpty();
        assertThat(ids(created(null, created))).isEmpty();
        assertThat(ids(created(null, created.plusNanos(1000)))).containsExactly(id);
        assertThat(ids(created(created, created.plusNanos(1000)))).containsExactly(id);
        assertThat(ids(created(created.plusSeconds(60), created.minusSeconds(60))))
                .isEmpty();
    }

    @Test
    void all_conditions_must_hold() {
        UUID id = inserted(keyed("key"));
        Instant created = row(id).createdAt();
        contract.corrupt(id, "{\"steps\":{\"pay\":[\"WAITING\"]}}");
        UUID next = new UUID(-1, -1);

        String name = definition.name();
        Instant to = created.plusSeconds(1);
        SagaStatus running = SagaStatus.RUNNING;
        assertThat(ids(new ListQuery(running, name, "key", "pay", created, to, next, 10)))
                .containsExactly(id);
        assertThat(Stream.of(
                        new ListQuery(SagaStatus.FAILED, name, "key", "pay", created, to, next, 10),
                        new ListQuery(running, newName(), "key", "pay", created, to, next, 10),
                        new ListQuery(running, name, "other", "pay", created, to, next, 10),
                        new ListQuery(running, name, "key", "book", created, to, next, 10),
                        new ListQuery(running, name, "key", "pay", to, to, next, 10),
                        new ListQuery(running, name, "key", "pay", created, created, next, 10),
                        new ListQuery(running, name, "key", "pay", created, to, id, 10)))
                .allSatisfy(query -> assertThat(ids(query)).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void hostile_texts_are_found_literally_or_not_at_all(String text) { // R13
        inserted(keyed("harmless"));
        withSteps("{\"steps\":{\"pay\":[\"EXECUTING\"]}}");

        assertThat(ids(query(null, text, null))).isEmpty();
        assertThat(ids(query(null, null, text))).isEmpty();
        assertThat(ids(new ListQuery(null, text, null, null, null, null, null, 10)))
                .isEmpty();
        assertThat(ids(all())).hasSize(2);
    }

    @Test
    void a_step_that_looks_like_the_end_of_another_is_no_step() {
        withSteps("{\"steps\":{\"pay\":[\"EXECUTING\"],\"book\":[\"WAITING\"]}}");

        assertThat(ids(query(null, null, "pay\":[\"EXECUTING\"],\"book"))).isEmpty();
    }

    @Test
    void a_list_inside_a_transaction_sees_what_that_has_started() {
        NewInstance saga = unowned();

        inTransaction(() -> {
            store().insertJoined(saga);
            return assertThat(ids(all())).containsExactly(saga.sagaId());
        });
    }

    // --- a part of the history

    @Test
    void the_history_is_read_in_parts() {
        UUID id = startedByA();
        for (int i = 0; i < 5; i++) {
            submit(write(id, 1, i, succeeded("a" + i, null), succeeded("b" + i, null), succeeded("c" + i, null)));
        }
        List<HistoryRow> seen = new ArrayList<>();

        List<HistoryRow> part = store().history(id, null, 4);
        while (!part.isEmpty()) {
            assertThat(part).hasSizeLessThanOrEqualTo(4);
            seen.addAll(part);
            part = store().history(id, part.get(part.size() - 1).place(), 4);
        }

        assertThat(seen).isEqualTo(store().history(id)).hasSize(15);
        assertThat(store().history(id, new HistoryRow.Place(2, 7), 1).get(0).place())
                .isEqualTo(new HistoryRow.Place(3, 0));
        assertThat(store().history(UUID.randomUUID(), null, 10)).isEmpty();
    }
}
