package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Parent;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How children end, and how they are undone. */
class ChildrenTest extends ChildFixture {
    // --- the end of a child

    @Test
    void a_child_that_completes_gives_its_output_to_the_step() {
        SagaDefinition<Input> definition = parent().step("last")
                .action(c -> calls.add("last " + c.result(SHIP).text()))
                .noCompensation("a test")
                .build();
        TestNode node = node(definition, child());
        UUID id = start(node);

        SagaInstance saga = end(node, id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "child", "last out of 7");
        assertThat(saga.result(SHIP)).contains(new Answer("out of 7"));
        InstanceRow row = row(childOf(id));
        assertThat(row.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row.parent()).isEqualTo(new Parent(id, "ship", "output"));
        assertThat(row.businessKey()).isNull();
        assertThat(history(id))
                .containsExactly(
                        "one ACTION 1 SUCCEEDED",
                        "ship ACTION 1 STARTED",
                        "ship ACTION 1 SUCCEEDED",
                        "last ACTION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @Test
    void a_child_that_is_compensated_rejects_the_step() {
        TestNode node = node(parent().build(), refusing());
        UUID id = start(node);

        SagaInstance saga = end(node, id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(steps(saga)).containsEntry("ship", StepStatus.REJECTED);
        assertThat(calls).containsExactly("one", "part", "undo part", "undo one");
        assertThat(memory.history(id))
                .anySatisfy(line -> assertThat(line.entry().errorCode()).isEqualTo("CHILD_COMPENSATED"));
    }

    @Test
    void a_child_that_is_parked_is_waited_for_until_an_operator_gets_it_moving() {
        SagaDefinition<Integer> parking = defineChild()
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .compensate((c, result) -> call("undo child", 1))
                .compensationRetry(Retry.none())
                .step("refuse")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .build();
        TestNode node = node(parent().build(), parking);
        UUID id = start(node);
        untilChildOf(id);
        time.runUntil(() -> settled(childOf(id)));
        time.run(Duration.ofHours(5));

        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(row(id).owner()).isNull();
        SagaAdmin admin = SagaAdmin.of(node.engine);
        assertThat(admin.find(id).orElseThrow().why()).contains(childOf(id).toString(), "FAILED");

        admin.retryCompensation(childOf(id), AdminRequest.by("ann", "mended"));

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    // --- undoing it

    @Test
    void undoing_the_step_undoes_the_child_that_has_completed() {
        TestNode node = node(parentThatTurns(), child());
        UUID id = start(node);

        SagaInstance saga = end(node, id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "child", "undo child out of 7", "undo one");
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(childOf(id)).reason()).isEqualTo(SagaReason.PARENT);
        assertThat(history(childOf(id)))
                .containsExactly(
                        "output ACTION 1 SUCCEEDED",
                        " SAGA 0 ENDED",
                        " SAGA 0 TURNED",
                        "output COMPENSATION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
        assertThat(memory.compensations(id)).hasSize(2);
    }

    @Test
    void a_retry_on_the_way_back_does_not_forget_a_child_that_is_being_undone() {
        SagaDefinition<Integer> slowly = defineChild()
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .compensate((c, result) -> call("undo child", 1))
                .compensationRetry(Retry.fixed(Duration.ofHours(1)).maxAttempts(3))
                .build();
        SagaDefinition<Input> definition = parent().step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> call("undo two", 1))
                .compensationRetry(Retry.none())
                .step("last")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .build();
        TestNode node = node(definition, slowly);
        UUID id = start(node);
        time.runUntil(() -> row(id).status() == SagaStatus.COMPENSATING && row(id).owner() == null);

        SagaAdmin.of(node.engine)
                .retryCompensation(id, AdminRequest.by("ann", "mended").forced());

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).endsWith("undo two", "undo one");
    }

    @Test
    void a_step_with_a_compensation_of_its_own_leaves_the_child_as_it_is() {
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(CHILD, c -> 7, OUTPUT)
                .compensate((c, result) ->
                        calls.add("return " + result.orElseThrow().text()))
                .step("last")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .build();
        SagaDefinition<Integer> withPivot =
                defineChild().pivot(OUTPUT).action(c -> new Answer("parcel")).build();
        TestNode node = node(definition, withPivot);
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(calls).containsExactly("return parcel");
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_parent_that_is_cancelled_asks_its_child_to_turn_and_waits_for_that() {
        TestNode node = node(parent().build(), slowChild());
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));

        node.client().cancel(id, "changed my mind");

        SagaInstance saga = end(node, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "undo child", "undo one");
        assertThat(row(childOf(id)).reason()).isEqualTo(SagaReason.CANCELLED);
    }

    @Test
    void a_child_that_completes_although_its_parent_turns_is_undone_then() {
        SagaDefinition<Integer> decided = defineChild()
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .compensate((c, result) -> calls.add("undo child"))
                .bestEffort("mail")
                .action(c -> always("mail"))
                .retry(Retry.fixed(Duration.ofHours(1)).maxAttempts(3))
                .build();
        TestNode node = node(parent().build(), decided);
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));

        node.client().cancel(id, "changed my mind");
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(row(id).owner()).isNull();

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "mail", "mail", "mail", "undo child", "undo one");
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_wish_while_the_input_of_the_child_is_made_comes_before_the_child() {
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            nodes[0].client().cancel(c.sagaId(), "changed my mind");
                            time.run(Duration.ofSeconds(2));
                            return 7;
                        },
                        OUTPUT)
                .build();
        nodes[0] = node(definition, child());
        UUID id = start(nodes[0]);

        assertThat(end(nodes[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(memory.find(childOf(id))).isEmpty();
    }

    @Test // D23
    void a_child_whose_input_leaves_a_transaction_open_was_not_started_and_nobody_waits_for_it() {
        FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            transactions.leaveOpen();
                            return 7;
                        },
                        OUTPUT)
                .retry(Retry.none())
                .build();
        TestNode node = new TestNode(time, store, transactions, TestNode.tuning(), definition, child()).started();
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo one");
        assertThat(memory.find(childOf(id))).isEmpty();
        assertThat(transactions.isActive()).isFalse();
        assertThat(memory.history(id))
                .filteredOn(row -> "SAGA-DB-007".equals(row.entry().errorCode()))
                .extracting(row -> row.entry().phase() + " " + row.entry().outcome())
                .containsExactly("ACTION FAILED");
    }

    @Test
    void the_children_of_a_child_are_undone_with_it() {
        SagaDefinition<Integer> grandchild = Saga.define(GRANDCHILD)
                .step("leaf")
                .action(c -> calls.add("leaf " + c.input()))
                .compensate(c -> calls.add("undo leaf"))
                .build();
        SagaDefinition<Integer> child = defineChild()
                .step("below")
                .startSaga(GRANDCHILD, c -> c.input() + 1)
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .compensate((c, result) -> calls.add("undo child"))
                .build();
        TestNode node = node(parentThatTurns(), child, grandchild);
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(calls).containsExactly("one", "leaf 8", "undo child", "undo leaf", "undo one");
        UUID leaf = ChildIds.of(childOf(id), row(childOf(id)).parent(), "below", 1);
        assertThat(row(leaf).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(leaf).parent()).isEqualTo(new Parent(childOf(id), "below", null));
    }

    @Test
    void children_run_side_by_side_and_all_are_awaited_when_one_is_compensated() {
        SagaDefinition<Integer> other = Saga.define(GRANDCHILD)
                .step("refuse")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .build();
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(CHILD, c -> 7, OUTPUT)
                .step("beside")
                .afterStart()
                .startSaga(other, c -> 8)
                .build();
        TestNode node = node(definition, slowChild(), other);
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(calls).containsExactly("undo child");
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPENSATED);
    }
}
