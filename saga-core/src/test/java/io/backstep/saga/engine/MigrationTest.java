package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.MigrationAnswer;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.serialization.AesGcmCodec;
import io.backstep.saga.serialization.PayloadCodec;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigrationTest extends EngineFixture {
    record Order(String text, int priority) {}

    record Parcel(String text, int weight) {}

    static final SagaType<Order> ORDER = SagaType.named("test", Order.class);
    static final Step<Parcel> PARCEL = Step.named("parcel", Parcel.class);
    private static final Retry ONCE_A_MINUTE =
            Retry.fixed(Duration.ofMinutes(1)).maxAttempts(20).jitter(0);
    private static final AdminRequest ANN = AdminRequest.by("ann", "the new version is better");

    private boolean away = true;
    private boolean refuses;

    private void act(String what, boolean fails) {
        calls.add(what);
        if (refuses && what.startsWith("send ")) {
            throw new StepRejectedException("NO", "no");
        }
        if (fails && away) {
            throw new IllegalStateException(what + " is away");
        }
    }

    private static String key(String key) {
        return key.substring(key.indexOf(':') + 1);
    }

    /** First packs, then tells, then waits for whoever sends. */
    private SagaDefinition<Input> one() {
        return define().step(FIRST)
                .action(c -> {
                    act("pack " + key(c.idempotencyKey()), false);
                    return new Answer("packed " + c.input().text());
                })
                .compensate((c, answer) -> act("unpack " + key(c.idempotencyKey()), false))
                .step("tell")
                .action(c -> act("tell " + key(c.idempotencyKey()), false))
                .noCompensation("told is told")
                .step("send")
                .action(c -> act("send " + key(c.idempotencyKey()), true))
                .compensate(c -> act("fetch " + key(c.idempotencyKey()), false))
                .retry(ONCE_A_MINUTE)
                .step("bill")
                .action(c -> act("bill " + key(c.idempotencyKey()), false))
                .noCompensation("nothing")
                .build();
    }

    /** Without telling, weighs, and calls other things by other names. */
    private SagaDefinition<Order> two() {
        return Saga.define(ORDER)
                .version(2)
                .step(PARCEL)
                .action(c -> {
                    act("2 pack " + key(c.idempotencyKey()), false);
                    return new Parcel("new", 1);
                })
                .compensate((c, parcel) -> act(
                        "2 unpack " + key(c.idempotencyKey()) + " of "
                                + parcel.orElseThrow().weight(),
                        false))
                .step("ship")
                .action(c -> act(
                        "send 2 " + key(c.idempotencyKey()) + " " + c.input().priority() + " "
                                + c.result(PARCEL).weight(),
                        true))
                .compensate(c -> act("2 fetch " + key(c.idempotencyKey()), false))
                .retry(ONCE_A_MINUTE)
                .step("weigh")
                .action(c -> act("2 weigh " + key(c.idempotencyKey()), false))
                .noCompensation("nothing")
                .step("bill")
                .action(c -> act("2 bill " + key(c.idempotencyKey()), false))
                .noCompensation("nothing")
                .build();
    }

    private SagaMigration migration(SagaDefinition<Input> one, SagaDefinition<Order> two) {
        return SagaMigration.of(one, two)
                .input(old -> new Order(old.text(), 7))
                .result(
                        FIRST,
                        PARCEL,
                        answer -> new Parcel(answer.text(), answer.text().length()))
                .withoutUndoing("tell")
                .renamed("send", "ship")
                .build();
    }

    private TestNode migrating(@Nullable PayloadCodec codec) {
        return migrating(codec, memory.transactions());
    }

    private TestNode migrating(@Nullable PayloadCodec codec, Transactions transactions) {
        SagaDefinition<Input> one = one();
        SagaDefinition<Order> two = two();
        TestNode node = new TestNode(
                time,
                store,
                transactions,
                TestNode.tuning(),
                List.of(),
                Runnable::run,
                time.clock(),
                builder -> codec == null ? builder : builder.payloadCodec(codec),
                one,
                two);
        node.engine.register(migration(one, two));
        return node.started();
    }

    private TestNode plain(@Nullable PayloadCodec codec) {
        return codec == null ? node(one()) : encrypting(codec, one());
    }

    private UUID waiting(@Nullable PayloadCodec codec) {
        TestNode node = plain(codec);
        UUID id = node.client()
                .start(TYPE, new Input("in"), StartOptions.businessKey("k"))
                .sagaId();
        time.run(Duration.ofSeconds(10));
        node.kill();
        assertThat(row(id).owner()).isNull();
        return id;
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void what_a_node_takes_goes_on_in_the_later_version(boolean encrypted) { // F099
        PayloadCodec codec = encrypted ? AesGcmCodec.of("k", "bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q=") : null;
        UUID id = waiting(codec);
        TestNode node = migrating(codec);
        time.run(Duration.ofMinutes(2));

        assertThat(row(id).version()).isEqualTo(2);
        assertThat(steps(node.client().find(id).orElseThrow()).keySet())
                .containsExactlyInAnyOrder("parcel", "ship", "weigh", "bill");
        assertThat(history(id)).contains(" SAGA 0 MIGRATED", "parcel ACTION 0 SUCCEEDED");
        assertThat(node.client()
                        .start(ORDER, new Order("in", 7), StartOptions.businessKey("k"))
                        .sagaId())
                .as("the input is compared by what it became")
                .isEqualTo(id);

        away = false;
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls)
                .as("what had begun keeps its key, what had not has its own")
                .startsWith("pack first", "tell tell", "send send", "send 2 send 7 9")
                .endsWith("send 2 send 7 9", "2 weigh weigh", "2 bill bill")
                .doesNotContain("bill bill");
        assertThat(node.client().find(id).orElseThrow().result(PARCEL)).contains(new Parcel("packed in", 9));
        assertThat(row(id).input().contains("priority")).isEqualTo(!encrypted);
    }

    @Test
    void what_is_undone_later_is_undone_by_the_key_that_it_was_done_by() {
        UUID id = waiting(null);
        TestNode node = migrating(null);
        time.run(Duration.ofMinutes(2));
        TestNode[] next = {node};
        node.kill(); // the key is in the row, not in the node
        next[0] = migrating(null);
        refuses = true;

        assertThat(end(next[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).endsWith("2 fetch send", "2 unpack first of 9");
    }

    @Test
    void a_lost_nodes_attempt_is_unknown_before_it_moves() {
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> dying = define().step(FIRST)
                .action(c -> new Answer("packed"))
                .compensate((c, answer) -> {})
                .step("tell")
                .action(c -> {})
                .noCompensation("told is told")
                .step("send")
                .action(c -> {
                    throw first[0].killedHere();
                })
                .compensate(c -> {})
                .retry(ONCE_A_MINUTE)
                .step("bill")
                .action(c -> {})
                .noCompensation("nothing")
                .build();
        first[0] = node(dying);
        UUID id = start(first[0]);
        time.runUntil(() -> !first[0].alive());
        TestNode node = migrating(null);
        away = false;

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id))
                .containsSubsequence("send ACTION 1 TAKEN_OVER", " SAGA 0 MIGRATED", "ship ACTION 2 SUCCEEDED");
        assertThat(calls).startsWith("send 2 send 7 6");
    }

    /** A start that nobody has taken yet says already what it calls first. */
    @ParameterizedTest
    @CsvSource({"APPLIED_IN_DOUBT,3,2 pack parcel", "LOST_IN_DOUBT,2,pack first", "REFUSED_CONNECTION,1,pack first"})
    void nothing_is_called_while_nobody_knows_whether_it_has_moved(FaultyStore.Fault fault, long epoch, String first)
            throws Exception {
        away = false;
        TestNode old = node(one());
        UUID id = memory.transactions().inTransaction(() -> {
            UUID started = start(old);
            old.kill();
            return started;
        });
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        transactions.next(fault);
        TestNode node = migrating(null, transactions);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(transactions.exhausted()).isTrue();
        assertThat(row(id).epoch()).as("a lost write is fenced").isEqualTo(epoch);
        assertThat(calls).filteredOn(call -> call.contains("pack")).containsExactly(first);
    }

    @Test
    void a_move_that_never_comes_through_keeps_nobody_from_going_on() {
        UUID id = waiting(null);
        away = false;
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        transactions.next(
                Collections.nCopies(50, FaultyStore.Fault.LOST_IN_DOUBT).toArray(FaultyStore.Fault[]::new));
        TestNode node = migrating(null, transactions);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(id).version()).isEqualTo(1);
    }

    @Test
    void what_begins_later_begins_then_in_the_later_version_too() {
        away = false;
        TestNode old = node(one());
        UUID id = old.client()
                .start(
                        TYPE,
                        new Input("in"),
                        StartOptions.businessKey("k").startAt(time.now().plus(Duration.ofHours(1))))
                .sagaId();
        time.run(Duration.ofSeconds(10));
        old.kill();
        TestNode node = migrating(null);
        assertThat(SagaAdmin.of(node.engine).migrate(id, ANN).possible()).isTrue();

        time.run(Duration.ofMinutes(50));
        assertThat(row(id).version()).isEqualTo(2);
        assertThat(calls).isEmpty();

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).startsWith("2 pack parcel");
    }

    @Test
    void an_operator_sees_first_and_then_moves_what_is_parked() {
        UUID id = waiting(null);
        TestNode old = node(one());
        memory.edit(id, row -> UnreadableTest.with(row, row.steps(), "{", row.format()));
        InstanceRow broken = row(id);
        time.run(Duration.ofMinutes(2));
        old.kill();
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        TestNode node = migrating(null);
        SagaAdmin admin = SagaAdmin.of(node.engine);
        InstanceRow parked = row(id);

        assertThat(admin.foreseeMigration(id).code()).isEqualTo("SAGA-MIG-007");
        assertThat(admin.migrate(id, ANN).code()).isEqualTo("SAGA-MIG-007");
        assertThat(row(id)).isEqualTo(parked);
        assertThat(row(id).input()).isEqualTo(broken.input());

        memory.edit(id, row -> UnreadableTest.with(row, row.steps(), "{\"text\":\"in\"}", row.format()));
        InstanceRow mended = row(id);
        assertThat(admin.foreseeMigration(id)).isEqualTo(new MigrationAnswer(id, 1, 2, null, null));
        assertThatThrownBy(() -> memory.transactions().inTransaction(() -> admin.migrate(id, ANN)))
                .hasMessageStartingWith("SAGA-ADMIN-008");
        assertThat(row(id)).as("nothing is written").isEqualTo(mended);
        assertThat(admin.migrate(id, ANN).possible()).isTrue();
        assertThat(row(id).version()).isEqualTo(2);
        assertThat(row(id).status()).isEqualTo(SagaStatus.FAILED);
        away = false;
        admin.retry(id, ANN);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(admin.foreseeMigration(id).code()).isEqualTo("SAGA-MIG-001");
    }

    @Test
    void what_a_node_works_on_or_has_ended_is_not_moved() {
        TestNode node = migrating(null);
        SagaAdmin admin = SagaAdmin.of(node.engine);
        UUID id =
                node.client().start(TYPE, INPUT, StartOptions.none().version(1)).sagaId();
        assertThat(admin.migrate(id, ANN).code()).isEqualTo("SAGA-MIG-002");
        refuses = true;
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(id).version()).isEqualTo(1);
        assertThat(admin.migrate(id, ANN).code()).isEqualTo("SAGA-MIG-002");
    }

    /** A saga of the former version whose steps a, b succeeded and c waits for its next attempt, and d has not begun. */
    private UUID waitingAt(SagaDefinition<Input> one) {
        TestNode node = node(one);
        UUID id = start(node);
        time.run(Duration.ofSeconds(10));
        node.kill();
        return id;
    }

    private SagaDefinition<Input> steps(int version, String... names) {
        var saga = define().version(version);
        for (String name : names) {
            var step = saga.step(name.replace("!", "")).action(c -> act(name, name.equals("c")));
            if (name.endsWith("!")) {
                step.compensate(c -> {}).retry(ONCE_A_MINUTE);
            } else {
                step.noCompensation("nothing").retry(ONCE_A_MINUTE);
            }
        }
        return saga.build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a x b c d | SAGA-MIG-006 | step b has begun, and would have to wait for x",
                "a c b d | SAGA-MIG-006 | step b has begun, and would have to wait for c",
                "d a b c | SAGA-MIG-006 | step a has begun, and would have to wait for d",
                "a b c x d |  | ",
                "a b c d x |  | ",
                "c a b d | SAGA-MIG-006 | step a has begun, and would have to wait for c",
                "a! b c d |  | ",
            })
    void steps_are_matched_by_name_and_an_impossible_order_is_refused(
            String later, @Nullable String code, @Nullable String why) { // F099
        SagaDefinition<Input> one = steps(1, "a", "b", "c", "d");
        UUID id = waitingAt(one);
        InstanceRow before = row(id);
        SagaDefinition<Input> two = steps(2, later.split(" "));
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), one, two);
        node.engine.register(SagaMigration.of(one, two).build());
        MigrationAnswer answer = SagaAdmin.of(node.started().engine).foreseeMigration(id);

        assertThat(row(id)).isEqualTo(before);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.why()).isEqualTo(code == null ? null : code + ": " + why);
        away = false;
        assertThat(end(node, id).status()).as("it goes on all the same").isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(id).version()).isEqualTo(code == null ? 2 : 1);
        assertThat(calls).containsOnlyOnce("a", "b", "d");
    }

    @Test
    void what_a_migration_does_not_say_is_told_at_once() {
        SagaDefinition<Input> one = steps(1, "a", "b", "c", "d");
        assertThatThrownBy(() -> SagaMigration.of(one, two())
                        .renamed("b", "nothing")
                        .renamed("x", "bill")
                        .build())
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DEF-010"))
                .hasMessageContainingAll(
                        "does not say how the input",
                        "does not say what becomes of step a; v2 has no step a",
                        "v2 has no step nothing",
                        "names step x, which v1 lacks");
        assertThatThrownBy(() -> SagaMigration.of(one, steps(2, "b", "a", "c", "d"))
                        .renamed("a", "b")
                        .renamed("b", "a")
                        .build())
                .hasMessageContaining("gives the name b to another step");
        assertThatThrownBy(
                        () -> SagaMigration.of(steps(2, "a"), one).without("a").build())
                .hasMessageContaining("a later version of the same saga");
        SagaMigration migration =
                SagaMigration.of(one, steps(2, "a", "b", "c", "d")).build();
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), one);
        node.engine.register(migration);
        assertThatThrownBy(() -> node.engine.register(migration)).hasMessageContaining("two migrations");
        assertThatThrownBy(node::started).hasMessageContaining("needs test v2, which is not registered");
    }

    @Test
    void a_definition_that_was_made_twice_is_the_same_to_a_migration() {
        TestNode node = new TestNode(
                time, store, memory.transactions(), TestNode.tuning(), steps(1, "a", "b"), steps(2, "a", "b"));
        node.engine.register(
                SagaMigration.of(steps(1, "a", "b"), steps(2, "a", "b")).build());
        assertThat(node.started().engine.client()).isNotNull();
    }
}
