package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.VoidAction;
import io.backstep.saga.store.HistoryRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several attempts of one saga at once, on one node. */
class BranchesTest extends EngineFixture {
    /** Who closes an engine on the only thread need not wait for what can't end meanwhile. */
    private static final Tuning AT_ONCE = TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60));

    private static final Retry THREE = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3);

    private SagaStage<Input> beside(SagaStage<Input> saga, String name, VoidAction<Input> action) {
        return saga.step(name).afterStart().action(action).compensate(c -> calls.add("undo " + name));
    }

    private SagaStage<Input> local(SagaStage<Input> saga, String name) {
        return saga.step(name)
                .afterStart()
                .transactional()
                .action(c -> calls.add(name))
                .compensate(c -> calls.add("undo " + name));
    }

    private VoidAction<Input> calls(String name) {
        return c -> calls.add(name);
    }

    /** Notes when it begins and ends; meanwhile others run. */
    private VoidAction<Input> takes(String name, Duration time) {
        return c -> {
            calls.add(name);
            this.time.run(time);
            calls.add(name + " done");
        };
    }

    private VoidAction<Input> refuses(String name, Duration after) {
        return c -> {
            time.run(after);
            calls.add(name + " says no");
            throw new StepRejectedException("NO", "no");
        };
    }

    /** Ten branches, then a join. */
    private SagaStage<Input> ten() {
        SagaStage<Input> saga = define();
        for (int i = 0; i < 10; i++) {
            saga = beside(saga, "b" + i, calls("b" + i));
        }
        return saga;
    }

    private static String[] branches(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "b" + i).toArray(String[]::new);
    }

    @Test
    void ten_branches_that_end_at_one_moment_are_called_once_each_and_joined_once() {
        SagaInstance saga = run(ten().pivot("join").action(calls("join")).build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).hasSize(11).endsWith("join").contains(branches(0, 10));
        assertThat(history(saga.sagaId())).doesNotHaveDuplicates().hasSize(12);
    }

    @Test
    void what_ends_while_a_write_is_under_way_goes_with_the_next_one() {
        List<Runnable> answers = new ArrayList<>();
        TestNode node = node(ten().pivot("join").action(calls("join")).build());
        UUID id = start(node);
        store.answers = answers::add;
        time.run(Duration.ofMillis(1));
        store.answers = Runnable::run;
        answers.forEach(Runnable::run);
        end(node, id);

        List<Long> writes = memory.history(id).stream()
                .filter(row -> row.entry().step().startsWith("b"))
                .map(HistoryRow::seq)
                .toList();
        assertThat(writes).hasSize(10);
        assertThat(writes.stream().distinct()).as("one alone, nine together").hasSize(2);
        assertThat(calls).hasSize(11).endsWith("join");
    }

    @Test // F104
    void what_a_sibling_did_after_the_turn_is_undone_once_it_is_known() {
        SagaStage<Input> saga = beside(define(), "b", takes("b", Duration.ofSeconds(2)));
        TestNode node =
                node(beside(saga, "a", refuses("a", Duration.ofMillis(100))).build());
        UUID id = start(node);
        time.run(Duration.ofMillis(100));
        SagaInstance ended = end(node, id);

        assertThat(calls).containsExactly("b", "a says no", "b done", "undo b");
        assertThat(ended.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(history(id))
                .containsExactly(
                        "a ACTION 1 REJECTED",
                        " SAGA 0 TURNED",
                        "b ACTION 1 SUCCEEDED",
                        "b COMPENSATION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    /** Four workers: b1 to b3 are slow, early is done when b0 says no, b4 to b9 wait for a worker. */
    @Test // F113
    void of_ten_branches_exactly_those_that_were_done_are_undone() {
        SagaStage<Input> saga = define();
        for (int i = 1; i <= 3; i++) {
            saga = beside(saga, "b" + i, takes("b" + i, Duration.ofSeconds(4 - i)));
        }
        saga = beside(saga, "early", calls("early"));
        saga = beside(saga, "b0", refuses("b0", Duration.ZERO));
        for (int i = 4; i < 10; i++) {
            saga = beside(saga, "b" + i, calls("b" + i));
        }
        TestNode node = node(TestNode.tuning().withWorkerThreads(4), saga.build());
        SagaInstance ended = end(node, start(node));

        assertThat(calls)
                .containsExactly(
                        "b1",
                        "b2",
                        "b3",
                        "early",
                        "b0 says no",
                        "b3 done",
                        "b2 done",
                        "b1 done",
                        "undo b1",
                        "undo b2",
                        "undo b3",
                        "undo early");
        assertThat(ended.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(steps(ended))
                .containsEntry("b0", StepStatus.REJECTED)
                .containsEntry("b3", StepStatus.COMPENSATED)
                .containsEntry("b4", StepStatus.PENDING)
                .containsEntry("b9", StepStatus.PENDING);
    }

    @Test
    void one_worker_is_enough_for_any_number_of_branches() {
        SagaStage<Input> saga = local(ten(), "t0");
        saga = local(local(saga, "t1"), "t2");
        TestNode node = node(
                TestNode.tuning().withWorkerThreads(1),
                saga.pivot("join").action(calls("join")).build());
        SagaInstance ended = end(node, start(node));

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).hasSize(14).doesNotHaveDuplicates().endsWith("join");
    }

    @Test
    void transactional_branches_run_one_after_the_other_beside_remote_ones() {
        SagaStage<Input> saga = beside(define(), "a", takes("a", Duration.ofSeconds(2)));
        saga = local(local(saga, "t0"), "t1");
        TestNode node = node(saga.pivot("join").action(calls("join")).build());
        UUID id = start(node);
        SagaInstance ended = end(node, id);

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("a", "t0", "t1", "a done", "join");
        assertThat(row(id).epoch()).as("nothing was lost or taken back").isEqualTo(1);
        assertThat(history(id)).doesNotHaveDuplicates().hasSize(5);
    }

    @Test
    void a_transactional_branch_whose_commit_is_in_doubt_disturbs_no_sibling() {
        SagaStage<Input> saga = beside(define(), "a", takes("a", Duration.ofSeconds(2)));
        saga = local(local(saga, "t0"), "t1");
        store.next(FaultyStore.Call.TRANSACTION, FaultyStore.Fault.LOST_IN_DOUBT, FaultyStore.Fault.APPLIED_IN_DOUBT);
        TestNode node = node(saga.pivot("join").action(calls("join")).build());
        UUID id = start(node);
        SagaInstance ended = end(node, id);

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id).stream().filter(line -> line.endsWith("SUCCEEDED")))
                .containsExactlyInAnyOrder(
                        "t0 ACTION 2 SUCCEEDED",
                        "t1 ACTION 1 SUCCEEDED",
                        "a ACTION 1 SUCCEEDED",
                        "join ACTION 1 SUCCEEDED");
        assertThat(calls).filteredOn("a"::equals).hasSize(1);
        assertThat(calls).filteredOn("t1"::equals).hasSize(1);
    }

    @Test
    void all_branches_of_a_lost_node_are_called_again_with_their_keys() {
        TestNode[] node = new TestNode[1];
        List<String> keys = new ArrayList<>();
        SagaStage<Input> saga = define();
        for (String name : List.of("a", "b")) {
            saga = beside(saga, name, c -> {
                keys.add(c.idempotencyKey() + " " + c.attempt());
                time.run(Duration.ofSeconds(1));
                if (!node[0].alive()) {
                    throw new AssertionError("dead");
                }
            });
        }
        SagaDefinition<Input> definition = beside(saga, "killer", c -> {
                    if (c.attempt() == 1) {
                        throw node[0].killedHere();
                    }
                })
                .build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);
        SagaInstance ended = end(node[0], id);

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(keys).containsExactly(id + ":a 1", id + ":b 1", id + ":a 2", id + ":b 2");
        assertThat(history(id))
                .contains("a ACTION 1 TAKEN_OVER", "b ACTION 1 TAKEN_OVER", "killer ACTION 1 TAKEN_OVER");
    }

    @Test
    void of_branches_that_are_suspects_one_runs_at_a_time() {
        TestNode[] node = new TestNode[1];
        List<String> kept = new ArrayList<>();
        SagaStage<Input> saga = define();
        for (String name : List.of("a", "b", "c")) {
            saga = beside(saga, name, c -> {
                if (c.attempt() <= 2) {
                    throw node[0].killedHere();
                }
                kept.add(name);
                time.run(Duration.ofSeconds(1));
                kept.add(name + " done");
            });
        }
        SagaDefinition<Input> definition = saga.build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        for (int i = 0; i < 2; i++) {
            time.runUntil(() -> !node[0].alive());
            node[0] = node(definition);
        }
        SagaInstance ended = end(node[0], id);

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(kept).containsExactly("a", "a done", "b", "b done", "c", "c done");
    }

    @Test
    void a_sibling_that_never_ends_is_given_up_and_undone_as_one_that_may_have_taken_effect() {
        SagaStage<Input> saga = beside(define(), "stuck", takes("stuck", Duration.ofMinutes(10)));
        TestNode node =
                node(beside(saga, "a", refuses("a", Duration.ofSeconds(1))).build());
        UUID id = start(node);
        time.runUntil(() -> calls.contains("stuck done"));

        assertThat(calls).containsExactly("stuck", "a says no", "undo stuck", "stuck done");
        assertThat(history(id)).contains("stuck ACTION 1 ABANDONED");
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_cancel_takes_back_what_waits_for_a_worker_and_awaits_what_runs() {
        SagaStage<Input> saga = beside(define(), "a", c -> {
            calls.add("a");
            time.run(Duration.ofSeconds(2));
        });
        TestNode node = node(
                TestNode.tuning().withWorkerThreads(1),
                beside(saga, "b", calls("b")).build());
        UUID id = start(node);
        later(Duration.ofSeconds(1), () -> node.client().cancel(id, "not wanted"));
        SagaInstance ended = end(node, id);

        assertThat(ended.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("a", "undo a");
        assertThat(steps(ended)).containsEntry("b", StepStatus.PENDING).containsEntry("a", StepStatus.COMPENSATED);
    }

    @Test
    void at_its_deadline_a_saga_awaits_its_branches_and_undoes_them_latest_first() {
        SagaStage<Input> saga = beside(define(), "a", takes("a", Duration.ofSeconds(8)));
        TestNode node =
                node(beside(saga, "b", takes("b", Duration.ofSeconds(6))).build());
        UUID id = node.client()
                .start(TYPE, INPUT, StartOptions.none().deadline(Duration.ofSeconds(5)))
                .sagaId();
        SagaInstance ended = end(node, id);

        assertThat(ended.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("a", "b", "b done", "a done", "undo a", "undo b");
    }

    @Test
    void a_pivot_that_was_ready_before_the_deadline_does_not_begin_after_it() {
        SagaStage<Input> saga = beside(define(), "a", calls("a"))
                .step("t")
                .afterStart()
                .transactional()
                .action(c -> {
                    calls.add("t");
                    time.run(Duration.ofSeconds(6));
                })
                .compensate(c -> calls.add("undo t"));
        TestNode node =
                node(saga.pivot("join").after("t", "a").action(calls("join")).build());
        UUID id = node.client()
                .start(TYPE, INPUT, StartOptions.none().deadline(Duration.ofSeconds(5)))
                .sagaId();
        SagaInstance ended = end(node, id);

        assertThat(ended.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsExactly("a", "t", "undo a", "undo t");
    }

    /** Whoever gets a parked saga moving again must not meet what still runs. */
    @Test
    void a_saga_is_parked_once_all_that_is_under_way_has_ended() {
        SagaDefinition<Input> definition = define().pivot("p")
                .action(calls("p"))
                .retriable("slow")
                .after("p")
                .action(takes("slow", Duration.ofSeconds(2)))
                .retriable("no")
                .after("p")
                .action(refuses("no", Duration.ofMillis(100)))
                .retriable("next")
                .action(calls("next"))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        later(Duration.ofSeconds(1), () -> calls.add(row(id).status().name()));
        SagaInstance ended = end(node, id);

        assertThat(calls).containsExactly("p", "slow", "no says no", "RUNNING", "slow done");
        assertThat(ended.reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(steps(ended))
                .containsEntry("slow", StepStatus.SUCCEEDED)
                .containsEntry("no", StepStatus.REJECTED)
                .containsEntry("next", StepStatus.PENDING);
        assertThat(row(id).owner()).isNull();
    }

    @Test
    void a_row_that_is_refused_with_the_ends_of_several_branches_is_parked_and_none_is_forgotten() {
        List<Runnable> answers = new ArrayList<>();
        TestNode node = node(ten().build());
        UUID id = start(node);
        store.next(FaultyStore.Call.SUBMIT, FaultyStore.Fault.NONE, FaultyStore.Fault.ROW_REFUSED);
        store.answers = answers::add;
        time.run(Duration.ofMillis(1));
        store.answers = Runnable::run;
        answers.forEach(Runnable::run);
        SagaInstance ended = end(node, id);

        assertThat(ended.reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(steps(ended).values().stream().distinct())
                .containsExactlyInAnyOrder(StepStatus.SUCCEEDED, StepStatus.WAITING);
    }

    @Test
    void a_node_that_stops_gives_back_the_branches_that_have_not_begun() {
        TestNode[] node = new TestNode[1];
        SagaStage<Input> saga = beside(define(), "a", c -> {
            calls.add("a");
            node[0].engine.close();
            calls.add("a done");
        });
        SagaDefinition<Input> definition =
                local(beside(saga, "b", calls("b")), "t").build();
        node[0] = node(AT_ONCE.withWorkerThreads(1), definition);
        UUID id = start(node[0]);
        time.run(Duration.ofSeconds(10));

        assertThat(calls).containsExactly("a", "a done");
        assertThat(row(id).owner()).isNull();
        assertThat(end(node(definition), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("a", "a done", "b", "t");
    }

    @Test
    void a_node_that_stops_awaits_a_branch_while_another_one_is_due() {
        TestNode[] node = new TestNode[1];
        SagaStage<Input> saga = define().step("b")
                .afterStart()
                .action(c -> call("b", 1))
                .compensate(c -> {})
                .retry(THREE);
        SagaDefinition<Input> definition = beside(saga, "a", c -> {
                    calls.add("a");
                    time.run(Duration.ofMillis(500));
                    node[0].engine.close();
                    time.run(Duration.ofSeconds(5));
                    calls.add("a done");
                })
                .build();
        node[0] = node(AT_ONCE, definition);
        UUID id = start(node[0]);
        time.run(Duration.ofSeconds(10));

        assertThat(calls).containsExactly("b", "a", "a done");
        assertThat(row(id).owner()).isNull();
        assertThat(end(node(definition), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("b", "a", "a done", "b");
    }

    @Test
    void a_branch_that_is_tried_again_does_not_hold_up_its_siblings() {
        SagaStage<Input> saga = define().step("a")
                .afterStart()
                .action(c -> call("a", 2))
                .compensate(c -> {})
                .retry(THREE);
        SagaInstance ended = run(beside(saga, "b", calls("b"))
                .step("after-b")
                .after("b")
                .action(calls("after-b"))
                .noCompensation("a test")
                .pivot("join")
                .action(calls("join"))
                .build());

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("a", "b", "after-b", "a", "a", "join");
    }
}
