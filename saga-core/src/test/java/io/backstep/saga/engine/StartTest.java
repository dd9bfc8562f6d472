package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.Transactions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starting sagas. */
class StartTest extends EngineFixture {
    private final Transactions transactions = memory.transactions();

    private SagaDefinition<Input> version(int version) {
        return define().step("one")
                .action(c -> calls.add("one v" + version + " " + c.input().text()))
                .compensate(c -> calls.add("undo one"))
                .version(version)
                .build();
    }

    private static SagaInstance start(TestNode node, String key, String text) {
        return node.client().start(TYPE, new Input(text), StartOptions.businessKey(key));
    }

    @Test
    void a_business_key_names_one_saga() { // F143
        TestNode node = node(version(1));
        SagaInstance first = start(node, "k", "in");
        SagaInstance again = start(node, "k", "in");
        assertThat(again.sagaId()).isEqualTo(first.sagaId());
        assertThat(again.businessKey()).isEqualTo("k");
        time.run(Duration.ofSeconds(1));
        assertThat(start(node, "k", "in").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one v1 in");
        assertThat(node.client().find(TYPE, "k").orElseThrow().sagaId()).isEqualTo(first.sagaId());
        assertThat(node.client().find(TYPE, "K")).isEmpty();
    }

    @Test
    void another_input_under_the_same_key_is_refused() {
        TestNode node = node(version(1));
        UUID first = start(node, "k", "in").sagaId();
        assertThatThrownBy(() -> start(node, "k", "other"))
                .isInstanceOf(SagaStartException.class)
                .hasMessageContaining("SAGA-START-002")
                .hasMessageContaining(first.toString())
                .hasMessageContaining("\"k\"");
    }

    @Test
    void versions_share_their_keys() {
        TestNode node = node(version(1), version(2));
        SagaInstance one =
                node.client().start(TYPE, INPUT, StartOptions.businessKey("k").version(1));
        assertThat(one.version()).isEqualTo(1);
        SagaInstance again = start(node, "k", "another input");
        assertThat(again.sagaId()).isEqualTo(one.sagaId());
        assertThat(again.version()).isEqualTo(1);
    }

    @Test
    void the_highest_version_starts_unless_one_is_named() {
        TestNode node = node(version(2), version(10), version(9));
        assertThat(node.client().start(TYPE, INPUT).version()).isEqualTo(10);
        assertThat(node.client()
                        .start(TYPE, INPUT, StartOptions.none().version(9))
                        .version())
                .isEqualTo(9);
        assertThat(node.client().start(version(2), INPUT).version()).isEqualTo(2);
        assertThatThrownBy(() ->
                        node.client().start(TYPE, INPUT, StartOptions.none().version(3)))
                .hasMessageContaining("SAGA-START-007")
                .hasMessageContaining("test v10");
        assertThatThrownBy(() -> node.client().start(SagaType.named("other", Input.class), INPUT))
                .hasMessageContaining("SAGA-START-007");
    }

    @Test
    void the_same_id_names_the_same_saga() {
        TestNode node = node(version(1));
        UUID id = new UUID(1, 2);
        node.client().start(TYPE, INPUT, StartOptions.none().sagaId(id));
        assertThat(node.client()
                        .start(TYPE, INPUT, StartOptions.none().sagaId(id))
                        .sagaId())
                .isEqualTo(id);
        assertThatThrownBy(() -> node.client()
                        .start(TYPE, new Input("other"), StartOptions.none().sagaId(id)))
                .hasMessageContaining("SAGA-START-002");
    }

    @Test
    void a_joined_start_begins_after_the_commit() throws Exception { // F080
        TestNode node = node(version(1));
        UUID id = transactions.inTransaction(() -> {
            UUID inside = start(node);
            time.run(Duration.ofMinutes(1));
            assertThat(calls).isEmpty();
            assertThat(node.client().find(inside)).isPresent();
            return inside;
        });
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_joined_start_that_is_rolled_back_leaves_nothing_and_tells_nobody() {
        List<String> heard = new ArrayList<>();
        TestNode node = listening(
                new SagaListener() {
                    @Override
                    public void started(SagaInstance saga) {
                        heard.add("started");
                    }
                },
                version(1));
        AtomicReference<UUID> id = new AtomicReference<>();
        assertThatThrownBy(() -> transactions.inTransaction(() -> {
                    id.set(start(node));
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        time.run(Duration.ofMinutes(1));
        assertThat(memory.find(id.get())).isEmpty();
        assertThat(calls).isEmpty();
        assertThat(heard).isEmpty();
    }

    @Test
    void a_duplicate_inside_a_transaction_leaves_it_usable() throws Exception { // F013, F049
        TestNode node = node(version(1));
        UUID first = start(node, "k", "in").sagaId();
        UUID other = transactions.inTransaction(() -> {
            assertThat(start(node, "k", "in").sagaId()).isEqualTo(first);
            assertThatThrownBy(() -> start(node, "k", "other")).hasMessageContaining("SAGA-START-002");
            return start(node, "l", "in").sagaId();
        });
        assertThat(end(node, other).status()).isEqualTo(SagaStatus.COMPLETED);
        UUID twice = transactions.inTransaction(() -> {
            UUID inside = start(node, "m", "in").sagaId();
            assertThat(start(node, "m", "in").sagaId()).isEqualTo(inside);
            return inside;
        });
        end(node, twice);
        assertThat(calls).hasSize(3);
    }

    @Test
    void a_read_only_transaction_is_refused() { // F074
        TestNode node = node(version(1));
        assertThatThrownBy(() -> memory.transactions().inReadOnlyTransaction(() -> start(node)))
                .hasMessageContaining("SAGA-START-008");
    }

    @Test
    void a_joined_start_is_found_also_when_the_claim_after_the_commit_fails() throws Exception {
        TestNode node = node(version(1));
        store.next(Call.CLAIM_ONE, Fault.REFUSED_CONNECTION);
        UUID id = transactions.inTransaction(() -> start(node));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    @SuppressWarnings("NullAway")
    void a_null_input_is_refused() {
        TestNode node = node(version(1));
        assertThatThrownBy(() -> node.client().start(TYPE, null)).hasMessageContaining("SAGA-START-009");
    }

    public static final class OneWay {
        private final String secret;

        public OneWay(String secret, int unnamed) {
            this.secret = secret + unnamed;
        }

        public String getShown() {
            return secret;
        }
    }

    record Wrapped(OneWay inner) {}

    private <I> TestNode taking(SagaType<I> type) {
        return node(Saga.define(type)
                .step("one")
                .action(c -> calls.add("one"))
                .noCompensation("nothing")
                .build());
    }

    @Test
    void an_input_that_cannot_be_read_back_is_refused_at_the_start() { // F091, D17
        SagaType<Wrapped> type = SagaType.named("one-way", Wrapped.class);
        TestNode node = taking(type);
        assertThatThrownBy(() -> node.client().start(type, new Wrapped(new OneWay("s", 1))))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-006")
                .hasMessageContaining("the input of one-way v1");
        assertThat(store.count(Call.INSERT)).isZero();
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void an_input_of_another_class_than_the_definition_takes_is_refused() {
        TestNode node = node(version(1));
        SagaType raw = TYPE;
        assertThatThrownBy(() -> node.client().start(raw, new Answer("same properties, another class")))
                .isInstanceOf(SagaStartException.class)
                .hasMessageContaining("SAGA-START-013: the input of test v1 is a " + Answer.class.getName())
                .hasMessageContaining("allowed is a " + Input.class.getName());
        assertThat(store.count(Call.INSERT)).isZero();
    }

    public static class Base {
        public String name = "n";
    }

    public static final class Derived extends Base {
        public int more = 1;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Card.class), @JsonSubTypes.Type(Cash.class)})
    interface Payment {}

    record Card(String number) implements Payment {}

    record Cash(int amount) implements Payment {}

    @Test
    void a_subclass_whose_own_data_would_be_lost_is_refused() {
        SagaType<Base> type = SagaType.named("base", Base.class);
        TestNode node = taking(type);
        assertThatThrownBy(() -> node.client().start(type, new Derived()))
                .hasMessageContaining("SAGA-SER-006")
                .hasMessageContaining("it differs at \"/more\"");
        assertThat(store.count(Call.INSERT)).isZero();
        end(node, node.client().start(type, new Base() {}).sagaId());
        assertThat(calls).as("one that has none is not").containsExactly("one");
    }

    @Test
    void subclasses_that_tell_their_type_are_kept() {
        SagaType<Payment> one = SagaType.named("pays", Payment.class);
        SagaType<List<Payment>> many = SagaType.named("pays-all", new TypeRef<List<Payment>>() {});
        TestNode node = node(
                Saga.define(one)
                        .step("one")
                        .action(c -> calls.add("" + c.input()))
                        .noCompensation("nothing")
                        .build(),
                Saga.define(many)
                        .step("all")
                        .action(c -> calls.add("" + c.input()))
                        .noCompensation("nothing")
                        .build());
        end(node, node.client().start(one, new Card("42")).sagaId());
        end(node, node.client().start(many, List.of(new Cash(1), new Card("2"))).sagaId());
        assertThat(calls).containsExactly("Card[number=42]", "[Cash[amount=1], Card[number=2]]");
    }

    public static final class Basket {
        public List<String> items = new ArrayList<>();
    }

    @Test
    void changing_the_input_after_the_start_changes_nothing() {
        SagaType<Basket> type = SagaType.named("basket", Basket.class);
        TestNode node = node(Saga.define(type)
                .step("one")
                .action(c -> calls.add("" + c.input().items))
                .noCompensation("nothing")
                .build());
        Basket basket = new Basket();
        basket.items.add("book");
        UUID id = node.client().start(type, basket).sagaId();
        basket.items.add("bomb");
        end(node, id);
        assertThat(calls).containsExactly("[book]");
    }

    @Test
    void an_insert_that_is_refused_by_the_connection_is_reported_and_leaves_nothing() {
        TestNode node = node(version(1));
        store.next(Call.INSERT, Fault.REFUSED_CONNECTION);
        assertThatThrownBy(() -> start(node, "k", "in")).hasMessageContaining("SAGA-DB-001");
        assertThat(memory.find("test", "k")).isEmpty();
        time.run(Duration.ofSeconds(1));
        assertThat(end(node, start(node, "k", "in").sagaId()).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "THROWN"})
    void an_insert_in_doubt_starts_exactly_one_saga_and_returns_it(Fault fault) throws Exception {
        TestNode node = node(version(1));
        store.next(Call.INSERT, fault, fault);
        SagaInstance saga = onAnotherThread(() -> start(node, "k", "in"));
        assertThat(store.exhausted()).isTrue();
        assertThat(end(node, saga.sagaId()).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.businessKey()).isEqualTo("k");
        assertThat(calls).containsExactly("one v1 in");
        assertThat(history(saga.sagaId())).containsExactly("one ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
    }

    @Test // X7
    void a_start_waits_as_long_as_another_transaction_has_its_key() throws Exception {
        TestNode node = node(version(1));
        store.next(Call.INSERT, lockedForLong());
        SagaInstance saga = onAnotherThread(() -> start(node, "k", "in"));
        assertThat(store.exhausted()).isTrue();
        assertThat(end(node, saga.sagaId()).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one v1 in");
    }

    @Test // X7
    void closing_the_engine_ends_a_start_that_waits_for_a_key() {
        TestNode node = node(version(1));
        store.next(Call.INSERT, lockedForLong());
        closeAfterTheSecondInsert(node);
        assertThatThrownBy(() -> onAnotherThread(() -> start(node, "k", "in"))).hasMessageContaining("SAGA-START-012");
        assertThat(memory.find("test", "k")).isEmpty();
    }

    private void closeAfterTheSecondInsert(TestNode node) {
        time.timer(() -> true).after(Duration.ofMillis(10), () -> {
            if (store.count(Call.INSERT) < 2) {
                closeAfterTheSecondInsert(node);
            } else {
                node.engine.close();
            }
        });
    }

    private static Fault[] lockedForLong() {
        return Collections.nCopies(20, Fault.ROW_LOCKED).toArray(Fault[]::new);
    }

    private static Fault[] lostForLong() {
        return Collections.nCopies(20, Fault.LOST_IN_DOUBT).toArray(Fault[]::new);
    }

    @Test
    void an_insert_that_stays_in_doubt_is_given_up_and_what_was_applied_runs_all_the_same() {
        TestNode node = node(version(1));
        store.next(Call.INSERT, Fault.APPLIED_IN_DOUBT);
        store.next(Call.INSERT, lostForLong());
        assertThatThrownBy(() -> onAnotherThread(() -> start(node, "k", "in")))
                .hasMessageContaining("SAGA-DB-005")
                .hasMessageContaining("may have been started");
        store.heal();
        UUID id = memory.find("test", "k").orElseThrow().sagaId();
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(start(node, "k", "in").sagaId()).isEqualTo(id);
        assertThat(calls).containsExactly("one v1 in");
    }

    @Test
    void await_returns_at_once_when_it_is_settled_and_when_the_time_is_up() {
        TestNode node = node(version(1));
        UUID id = start(node);
        assertThat(node.client().await(id, Duration.ZERO).ended()).isFalse();
        time.run(Duration.ofSeconds(1));
        assertThat(node.client().await(id, Duration.ofDays(1)).ended()).isTrue();
        assertThatThrownBy(() -> node.client().await(new UUID(9, 9), Duration.ZERO))
                .isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void await_inside_the_transaction_that_started_it_is_refused() throws Exception { // F157
        TestNode node = node(version(1));
        UUID outside = start(node);
        time.run(Duration.ofSeconds(1));
        transactions.inTransaction(() -> {
            UUID id = start(node);
            assertThatThrownBy(() -> node.client().await(id, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(node.client().await(outside, Duration.ofSeconds(1)).ended())
                    .isTrue();
            return id;
        });
    }

    @Test
    void a_definition_after_the_start_of_the_engine_is_refused() { // D26
        TestNode node = node(version(1));
        assertThatThrownBy(() -> node.engine.register(version(2)))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DEF-008");
        assertThatThrownBy(() -> new TestNode(time, store, transactions, TestNode.tuning(), version(1), version(1)))
                .hasMessageContaining("SAGA-DSL-003") // D3
                .hasMessageContaining(Input.class.getTypeName() + " at " + EngineFixture.class.getName() + ".define(");
        SagaDefinition<Integer> other = Saga.define(SagaType.named("test", Integer.class))
                .step("one")
                .action(c -> {})
                .noCompensation("nothing")
                .build();
        assertThatThrownBy(() -> new TestNode(time, store, transactions, TestNode.tuning(), version(1), other))
                .hasMessageContainingAll("SAGA-DSL-003", Input.class.getTypeName(), "java.lang.Integer at ")
                .hasMessageContaining(getClass().getName()
                        + ".a_definition_after_the_start_of_the_engine_is_refused(StartTest.java:");
    }

    @Test
    void other_steps_under_the_same_version_are_refused_with_what_differs() { // D25
        node(version(1));
        SagaDefinition<Input> changed = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step(Step.named("added", String.class))
                .action(c -> "x")
                .noCompensation("nothing")
                .build();
        assertThatThrownBy(() -> node(changed))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DEF-007")
                .hasMessageContaining("test v1")
                .hasMessageContaining("added was added; it is");
    }

    /** A call of a remote step that is under way would not be in doubt any more, and not be undone. */
    @Test
    void a_remote_step_that_becomes_transactional_under_the_same_version_is_refused() { // D25
        node(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .build());
        SagaDefinition<Input> changed = define().step("one")
                .transactional()
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .build();
        assertThatThrownBy(() -> node(changed))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DEF-007")
                .hasMessageContaining("one was changed from COMPENSATABLE to COMPENSATABLE transactional");
    }

    /** A remote undo that is under way would be run again as if it had been rolled back. */
    @Test
    void a_remote_compensation_that_becomes_transactional_under_the_same_version_is_refused() { // D25
        node(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .build());
        SagaDefinition<Input> changed = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .compensationTransactional(true)
                .build();
        assertThatThrownBy(() -> node(changed))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DEF-007")
                .hasMessageContaining("one was changed from COMPENSATABLE to COMPENSATABLE undone transactionally");
    }
}
