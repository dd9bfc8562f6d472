package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How children start, what operators do with them, and what crashes leave of them. */
class ChildStartsTest extends ChildFixture {
    // --- its start

    @Test
    void a_start_that_fails_is_tried_again_and_nothing_is_searched() { // F137
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            call("input", 2);
                            return 7;
                        },
                        OUTPUT)
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3))
                .build();
        TestNode node = node(definition, child());
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(calls).containsExactly("input", "input", "input", "child");
        assertThat(history(id)).contains("ship ACTION 3 STARTED").doesNotContain("ship ACTION 2 STARTED");
    }

    @ParameterizedTest // F137
    @EnumSource(names = {"REFUSED_CONNECTION", "LOST_IN_DOUBT", "APPLIED_IN_DOUBT", "DEADLOCK"})
    void a_write_that_carries_a_child_and_fails_starts_that_child_once_with_the_same_id(FaultyStore.Fault fault) {
        Set<UUID> carried = new LinkedHashSet<>();
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            calls.add("input");
                            store.next(FaultyStore.Call.SUBMIT, fault);
                            return 7;
                        },
                        OUTPUT)
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3))
                .build();
        TestNode node = node(definition, child());
        UUID id = start(node);

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);

        store.mutations.forEach(write -> write.children().forEach(row -> carried.add(row.sagaId())));
        assertThat(store.count(FaultyStore.Call.SUBMIT)).as("the fault was met").isGreaterThan(3);
        assertThat(carried).containsExactly(childOf(id));
        assertThat(rows()).extracting(InstanceSummary::sagaId).containsExactlyInAnyOrder(id, childOf(id));
        assertThat(calls).contains("input").containsOnlyOnce("child");
        assertThat(history(id)).containsOnlyOnce("ship ACTION 1 STARTED");
    }

    @Test
    void a_start_that_never_succeeds_leaves_nothing_to_undo() {
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            throw new IOException("away");
                        },
                        OUTPUT)
                .build();
        SagaInstance saga = runWith(definition, child());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(steps(saga)).containsEntry("ship", StepStatus.GIVEN_UP);
        assertThat(memory.find(childOf(saga.sagaId()))).isEmpty();
    }

    private SagaInstance runWith(SagaDefinition<Input> definition, SagaDefinition<?> child) {
        TestNode node = node(definition, child);
        return end(node, start(node));
    }

    @Test
    void an_input_that_is_none_fails_the_step() {
        SagaInstance saga =
                runWith(define().step(SHIP).startSaga(CHILD, c -> null, OUTPUT).build(), child());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(memory.history(saga.sagaId()))
                .anySatisfy(line -> assertThat(line.entry().errorText()).contains("is null"));
    }

    @Test
    void the_highest_version_is_started_unless_a_definition_is_named() {
        SagaDefinition<Integer> first = defineChild()
                .step("a")
                .action(c -> calls.add("v1"))
                .noCompensation("a test")
                .build();
        SagaDefinition<Integer> second = defineChild()
                .version(2)
                .step("a")
                .action(c -> calls.add("v2"))
                .noCompensation("a test")
                .build();
        SagaDefinition<Input> definition = define().step("highest")
                .startSaga(CHILD, c -> 1)
                .step("named")
                .startSaga(first, c -> 2)
                .build();
        TestNode node = node(definition, first, second);

        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(calls).containsExactly("v2", "v1");
    }

    @Test
    void a_child_has_no_more_time_than_its_parent() {
        SagaDefinition<Input> definition =
                parent().deadline(Duration.ofMinutes(1)).build();
        TestNode node = node(definition, slowChild());
        UUID id = start(node);
        untilChildOf(id);
        InstanceRow child = row(childOf(id));

        assertThat(child.deadline()).isNotNull().isBeforeOrEqualTo(Objects.requireNonNull(row(id).deadline()));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(time.now()).isBefore(child.createdAt().plus(Duration.ofMinutes(2)));
    }

    @Test
    void a_retriable_step_whose_child_was_compensated_starts_another_when_it_is_retried() {
        boolean[] refuses = {true};
        SagaDefinition<Integer> child = defineChild()
                .step(OUTPUT)
                .action(c -> {
                    if (refuses[0]) {
                        throw new StepRejectedException("NO", "no");
                    }
                    return new Answer("done");
                })
                .noCompensation("a test")
                .build();
        SagaDefinition<Input> definition = define().pivot("decide")
                .action(c -> calls.add("decide"))
                .retriable(SHIP)
                .startSaga(CHILD, c -> 7, OUTPUT)
                .build();
        TestNode node = node(definition, child);
        UUID id = start(node);
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(memory.inspect(id).orElseThrow().mail())
                .as("the end of the child that has parked it")
                .isEmpty();
        assertThat(memory.history(id))
                .anySatisfy(line -> assertThat(line.entry().errorCode()).isEqualTo("CHILD_COMPENSATED"));
        refuses[0] = false;

        SagaAdmin.of(node.engine).retry(id, AdminRequest.by("ann", "settled"));

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(row(childOf(id)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(ChildIds.of(id, null, "ship", 2)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_wish_for_a_pivot_whose_child_runs_is_pending_and_told_to_the_child() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .pivot(SHIP)
                .startSaga(CHILD, c -> 7, OUTPUT)
                .build();
        TestNode node = node(definition, slowChild());
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));

        node.client().cancel(id, "changed my mind");

        SagaInstance saga = end(node, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "undo child", "undo one");
    }

    @Test
    void a_node_that_knows_a_parent_must_know_its_children() {
        assertThatThrownBy(() -> node(parent().build()))
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DEF-020"))
                .hasMessageContainingAll("step ship", "starts child");
        SagaDefinition<Integer> withPivot =
                defineChild().pivot(OUTPUT).action(c -> new Answer("done")).build();
        assertThatThrownBy(() -> node(parent().build(), withPivot))
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DEF-021"))
                .hasMessageContainingAll("step ship", "pivot", "compensate(...)");
        SagaDefinition<Integer> later = defineChild()
                .version(2)
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .noCompensation("a test")
                .build();
        assertThatThrownBy(() -> node(parent().build(), withPivot, later))
                .as("a child of the version before may be under way")
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DEF-021"))
                .hasMessageContainingAll("step ship", "child v1", "pivot");
        node(define().step("named").startSaga(later, c -> 7).build(), withPivot, later);
        SagaDefinition<String> other = Saga.define(SagaType.named("child", String.class))
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .noCompensation("a test")
                .build();
        assertThatThrownBy(() -> node(parent().build(), other))
                .isInstanceOfSatisfying(
                        SagaDefinitionException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DEF-021"))
                .hasMessageContainingAll("java.lang.Integer", "java.lang.String");
    }

    // --- operators

    @Test
    void a_parent_cannot_be_force_completed_before_its_child_has_ended() {
        TestNode node = node(parent().build(), slowChild());
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));
        SagaAdmin admin = SagaAdmin.of(node.engine);
        AdminRequest ann = AdminRequest.by("ann", "because");

        assertThatThrownBy(() -> admin.forceComplete(id, ann))
                .hasMessageContainingAll("step ship waits for saga " + childOf(id), "that has to end first");

        admin.forceComplete(childOf(id), ann);
        time.run(Duration.ofMinutes(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(admin.find(id).orElseThrow().why()).contains("an operator has ended it");
        admin.forceComplete(id, ann);
        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
    }

    @Test
    void an_operator_who_turns_the_parent_turns_the_child() {
        TestNode node = node(parent().build(), slowChild());
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));

        SagaAdmin.of(node.engine).compensate(id, AdminRequest.by("ann", "because"));

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "undo child", "undo one");
    }

    @Test
    void an_operator_who_turns_the_child_turns_the_parent() {
        TestNode node = node(parent().build(), slowChild());
        UUID id = start(node);
        untilChildOf(id);
        time.run(Duration.ofSeconds(5));

        SagaAdmin.of(node.engine).compensate(childOf(id), AdminRequest.by("ann", "because"));

        assertThat(end(node, id).reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(calls).containsExactly("one", "undo child", "undo one");
    }

    // --- crashes

    @Test
    void a_child_whose_node_is_lost_is_taken_over_and_its_end_reaches_the_parent() {
        SagaDefinition<Integer> child = defineChild()
                .step(OUTPUT)
                .action(c -> {
                    call("child", 0);
                    if (calls.size() == 1) {
                        throw nodes[0].killedHere();
                    }
                    return new Answer("done");
                })
                .noCompensation("a test")
                .build();
        SagaDefinition<Input> definition =
                define().step(SHIP).startSaga(CHILD, c -> 7, OUTPUT).build();
        nodes[0] = node(definition, child);
        TestNode other = node(definition, child);
        UUID id = start(nodes[0]);

        assertThat(end(other, id).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(calls).containsExactly("child", "child");
    }

    @Test
    void a_node_that_wakes_up_after_its_parent_was_taken_over_and_undone_starts_no_child() {
        SagaDefinition<Input> definition = define().step(SHIP)
                .startSaga(
                        CHILD,
                        c -> {
                            if (calls.isEmpty()) {
                                calls.add("paused");
                                nodes[0].pause();
                            }
                            return 7;
                        },
                        OUTPUT)
                .build();
        nodes[0] = node(definition, child());
        UUID id = start(nodes[0]);
        time.run(Duration.ofSeconds(1));
        TestNode other = node(
                define().step(SHIP)
                        .startSaga(
                                CHILD,
                                c -> {
                                    throw new StepRejectedException("NO", "no");
                                },
                                OUTPUT)
                        .build(),
                child());
        assertThat(end(other, id).status()).isEqualTo(SagaStatus.COMPENSATED);

        nodes[0].resume();
        time.run(Duration.ofMinutes(1));

        assertThat(memory.find(childOf(id))).isEmpty();
    }
}
