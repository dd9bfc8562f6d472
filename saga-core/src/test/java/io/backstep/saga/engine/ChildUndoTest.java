package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.UnknownDefinition;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Children that have completed, and that nobody can undo: not here, or not at all. */
class ChildUndoTest extends ChildFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");

    /** Turns when its child has long completed. */
    private SagaDefinition<Input> turningLater(SagaDefinition<Integer> child) {
        return define().step(SHIP)
                .startSaga(child, c -> 7, OUTPUT)
                .delay("wait", Duration.ofHours(1))
                .step("last")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo last"))
                .build();
    }

    private SagaDefinition<Integer> withPivot() {
        return defineChild()
                .version(2)
                .pivot(OUTPUT)
                .action(c -> new Answer("parcel"))
                .build();
    }

    private UUID withCompletedChild(TestNode node) {
        UUID id = start(node);
        untilChildOf(id);
        time.runUntil(() -> settled(childOf(id)));
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPLETED);
        return id;
    }

    /** As if it had been moved to another version by a hand. */
    private static InstanceRow of(InstanceRow row, int definitionId, int version) {
        return new InstanceRow(
                row.sagaId(),
                definitionId,
                row.name(),
                version,
                row.parent(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.reason(),
                row.steps(),
                row.input(),
                row.format(),
                row.epoch(),
                row.seq(),
                row.owner(),
                row.dueAt(),
                row.deadline(),
                row.createdAt(),
                row.updatedAt());
    }

    @Test
    void a_child_that_is_never_undone_is_told_of_once_and_its_parent_can_be_ended_with_force() {
        SagaDefinition<Integer> withPivot = withPivot();
        TestNode node = node(turningLater(child()), child(), withPivot);
        UUID id = withCompletedChild(node);
        UUID child = childOf(id);
        int pivot = memory.register("child", 2, withPivot.fingerprint()).definitionId();
        memory.edit(child, row -> of(row, pivot, 2));

        try (Logs logs = new Logs()) {
            time.run(Duration.ofHours(5));

            assertThat(logs.warnings())
                    .singleElement()
                    .asString()
                    .contains(child + " of child v2", "pivot", id.toString());
            assertThat(logs.traces()).isZero();
        }
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(row(child).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(memory.inspect(child).orElseThrow().mail()).isEmpty();
        SagaAdmin admin = SagaAdmin.of(node.engine);
        assertThat(admin.find(id).orElseThrow().why())
                .contains("to be undone, which is COMPLETED: it had a pivot or a TCC step and is never undone");
        assertThatThrownBy(() -> admin.forceComplete(id, ANN)).hasMessageContaining("force-complete with force");

        admin.forceComplete(id, ANN.forced());

        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
    }

    @Test
    void a_child_whose_version_no_node_knows_is_named_and_undone_when_one_does() {
        SagaDefinition<Integer> later = defineChild()
                .version(2)
                .step(OUTPUT)
                .action(c -> new Answer("later"))
                .compensate((c, result) -> calls.add("undo later"))
                .build();
        TestNode first = node(turningLater(child()), child());
        UUID id = withCompletedChild(first);
        first.kill();
        TestNode node = node(turningLater(later), later);
        SagaAdmin admin = SagaAdmin.of(node.engine);
        assertThat(admin.unknownDefinitions()).isEmpty();

        time.run(Duration.ofHours(2));

        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(admin.unknownDefinitions()).containsExactly(new UnknownDefinition("child", 1, 1));
        assertThat(admin.find(id).orElseThrow().why()).contains("this node does not know child v1");
        assertThat(memory.inspect(childOf(id)).orElseThrow().mail())
                .extracting(Mail::kind)
                .containsExactly(Mail.Kind.UNDO);
        assertThatThrownBy(() -> admin.forceComplete(id, ANN.forced())).hasMessageContaining("that has to end first");

        TestNode knowing = node(turningLater(child()), child());

        assertThat(end(knowing, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("child", "undo child out of 7");
        assertThat(admin.unknownDefinitions()).isEmpty();
    }
}
