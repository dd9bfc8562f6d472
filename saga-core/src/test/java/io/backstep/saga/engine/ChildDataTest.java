package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.serialization.AesGcmCodec;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is stored of children is encoded, and they are moved to later versions, unless their parents would miss something. */
class ChildDataTest extends ChildFixture {
    private static final AesGcmCodec CODEC = AesGcmCodec.of("k", "bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q=");

    private UUID parent = new UUID(0, 0);

    @Test
    void input_and_output_of_a_child_are_encoded_each_for_its_place() {
        TestNode node = encrypting(CODEC, parent().build(), child());
        UUID id = start(node);

        SagaInstance saga = end(node, id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.result(SHIP)).contains(new Answer("out of 7"));
        InstanceRow child = row(childOf(id));
        assertThat(child.input()).startsWith("~k:");
        assertThat(memory.history(id).toString()).contains("~k:").doesNotContain("out of 7");
        assertThat(memory.history(child.sagaId()).toString()).contains("~k:").doesNotContain("out of 7");
    }

    @Test
    void a_child_whose_data_is_encoded_is_undone_with_its_result() {
        TestNode node = encrypting(CODEC, parentThatTurns(), child());
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(calls).contains("undo child out of 7");
    }

    @Test
    void a_step_that_starts_a_child_keeps_its_name_when_its_saga_is_moved() {
        SagaDefinition<Input> former =
                define().step("ship").startSaga(CHILD, c -> 7).build();
        SagaDefinition<Input> later =
                define().version(2).step("send").startSaga(CHILD, c -> 7).build();

        assertThatThrownBy(() ->
                        SagaMigration.of(former, later).renamed("ship", "send").build())
                .hasMessageContaining("changes the name or the result of step ship");
    }

    private SagaDefinition<Integer> laterChild(Step<Answer> output) {
        return defineChild()
                .version(2)
                .step(output)
                .action(c -> new Answer("done later"))
                .compensate((c, result) -> calls.add("undo child"))
                .delay("wait", Duration.ofHours(3))
                .build();
    }

    /** Starts a child that waits, and comes back as a node that knows a later version of it. */
    private TestNode deployed(SagaDefinition<Integer> former, SagaDefinition<Integer> later, SagaMigration migration) {
        SagaDefinition<Input> starting =
                define().step(SHIP).startSaga(former, c -> 7, OUTPUT).build();
        TestNode first = node(starting, former);
        parent = start(first);
        time.run(Duration.ofSeconds(10));
        first.kill();
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), starting, former, later);
        node.engine.register(migration);
        return node.started();
    }

    @Test
    void a_child_is_moved_to_a_later_version_and_still_answers() {
        SagaDefinition<Integer> former = slowChild();
        SagaDefinition<Integer> later = laterChild(OUTPUT);
        TestNode node = deployed(former, later, SagaMigration.of(former, later).build());

        assertThat(SagaAdmin.of(node.engine)
                        .migrate(childOf(parent), AdminRequest.by("ann", "the later version"))
                        .possible())
                .isTrue();

        assertThat(end(node, parent).result(SHIP)).contains(new Answer("done"));

        assertThat(row(childOf(parent)).version()).isEqualTo(2);
    }

    @Test
    void a_child_is_not_moved_to_a_version_that_could_not_be_undone() {
        SagaDefinition<Integer> former = slowChild();
        SagaDefinition<Integer> later = defineChild()
                .version(2)
                .step(OUTPUT)
                .action(c -> new Answer("done later"))
                .compensate((c, result) -> calls.add("undo child"))
                .delay("wait", Duration.ofHours(3))
                .pivot("decide")
                .action(c -> calls.add("decide"))
                .build();
        TestNode node = deployed(former, later, SagaMigration.of(former, later).build());

        assertThat(SagaAdmin.of(node.engine).foreseeMigration(childOf(parent)))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo("SAGA-MIG-008"))
                .satisfies(answer -> assertThat(answer.why()).contains("v2 has a pivot"));
        assertThat(end(node, parent).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(childOf(parent)).version()).isEqualTo(1);
    }

    @Test
    void a_saga_is_not_moved_away_from_a_child_that_it_waits_for() {
        SagaDefinition<Input> former = parent().build();
        SagaDefinition<Input> later = define().version(2)
                .step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .build();
        TestNode first = node(former, slowChild());
        parent = start(first);
        time.run(Duration.ofSeconds(10));
        first.kill();
        TestNode node = new TestNode(time, store, memory.transactions(), TestNode.tuning(), former, later, slowChild());
        node.engine.register(
                SagaMigration.of(former, later).withoutUndoing("ship").build());
        node.started();

        assertThat(SagaAdmin.of(node.engine).foreseeMigration(parent))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo("SAGA-MIG-004"))
                .satisfies(answer -> assertThat(answer.why()).contains("step ship", "waits for its child"));
        assertThat(end(node, parent).result(SHIP)).contains(new Answer("done"));
    }

    @Test
    void a_child_is_not_moved_when_its_parent_would_miss_its_output() {
        SagaDefinition<Integer> former = slowChild();
        SagaDefinition<Integer> later = laterChild(Step.named("other", Answer.class));
        SagaMigration migration =
                SagaMigration.of(former, later).renamed("output", "other").build();
        TestNode node = deployed(former, later, migration);

        assertThat(SagaAdmin.of(node.engine).foreseeMigration(childOf(parent)).code())
                .isEqualTo("SAGA-MIG-008");
        assertThat(end(node, parent).result(SHIP)).contains(new Answer("done"));

        assertThat(row(childOf(parent)).version()).isEqualTo(1);
    }
}
