package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Lists, by what is asked for. */
abstract class ListFilterCases extends ListRows {
    private static final Set<StepStatus> AT_IT = EnumSet.of(
            StepStatus.EXECUTING,
            StepStatus.WAITING,
            StepStatus.UNKNOWN,
            StepStatus.COMPENSATING,
            StepStatus.COMPENSATION_FAILED,
            StepStatus.CONFIRMING);

    ListFilterCases(SagaStoreContract contract) {
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

    @ParameterizedTest
    @EnumSource(SagaStatus.class)
    void by_status(SagaStatus wanted) {
        List<UUID> all = Stream.of(SagaStatus.values()).map(this::written).toList();

        assertThat(ids(query(wanted, null, null))).containsExactly(all.get(wanted.ordinal()));
    }

    @Test
    void by_ids_of_which_some_are_gone() {
        UUID first = due();
        due();
        UUID third = due();

        assertThat(ids(ListQuery.of(Set.of(first, third, UUID.randomUUID())))).containsExactlyInAnyOrder(first, third);
        assertThat(ids(ListQuery.of(Set.of()))).isEmpty();
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
}
