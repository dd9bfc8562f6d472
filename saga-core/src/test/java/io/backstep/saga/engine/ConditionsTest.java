package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaData;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Steps that are run only if a condition holds. */
class ConditionsTest extends EngineFixture {
    private static final Retry TWICE = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2);

    /** The second step has the condition; the third says no when the input says so. */
    private SagaDefinition<Input> onlyIf(Predicate<SagaData<Input>> condition) {
        return define().step(FIRST)
                .action(c -> new Answer("yes"))
                .compensate((c, answer) -> calls.add("undo first"))
                .step("second")
                .onlyIf(condition)
                .action(c -> calls.add("second " + c.attempt()))
                .compensate(c -> calls.add("undo second"))
                .retry(TWICE)
                .timeout(Duration.ofSeconds(5))
                .step("third")
                .action(c -> {
                    calls.add("third");
                    if (c.input().text().equals("no")) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .compensate(c -> calls.add("undo third"))
                .build();
    }

    @Test
    void a_condition_reads_input_and_results_and_is_told_which_saga_it_is() {
        SagaInstance saga = run(onlyIf(c -> {
            calls.add(c.sagaName() + " " + c.input().text() + " " + c.businessKey());
            return c.result(FIRST).text().equals("yes") && c.findResult(FIRST).isPresent();
        }));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("test in null", "second 1", "third");
        assertThat(history(saga.sagaId()))
                .containsExactly(
                        "first ACTION 1 SUCCEEDED",
                        "second CONDITION 1 SUCCEEDED",
                        "second ACTION 1 SUCCEEDED",
                        "third ACTION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @Test
    void a_step_whose_condition_does_not_hold_is_recorded_as_skipped_and_the_saga_goes_on() {
        SagaInstance saga = run(onlyIf(c -> false));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(steps(saga)).containsEntry("second", StepStatus.SKIPPED);
        assertThat(calls).containsExactly("third");
        assertThat(history(saga.sagaId()))
                .contains("second CONDITION 1 SKIPPED")
                .hasSize(4);
    }

    @Test
    void a_skipped_step_has_nothing_to_undo() {
        TestNode node = node(onlyIf(c -> false));
        SagaInstance saga = end(node, node.client().start(TYPE, new Input("no")).sagaId());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("third", "undo first");
        assertThat(steps(saga)).containsEntry("second", StepStatus.SKIPPED);
        assertThat(memory.compensations(saga.sagaId()))
                .extracting(row -> row.entry().step())
                .containsExactly("first");
    }

    @Test
    void the_result_of_a_skipped_step_is_empty() {
        SagaInstance saga = run(define().step(FIRST)
                .onlyIf(c -> false)
                .action(c -> new Answer("never"))
                .compensate((c, answer) -> {})
                .step("reads")
                .action(c -> {
                    calls.add("found " + c.findResult(FIRST));
                    c.result(FIRST);
                })
                .compensate(c -> {})
                .retry(Retry.none())
                .build());

        assertThat(calls).containsExactly("found Optional.empty");
        assertThat(saga.result(FIRST)).isEmpty();
        assertThat(memory.history(saga.sagaId()).get(1).entry().errorText())
                .isEqualTo("java.util.NoSuchElementException: step first of test v1 has no result");
    }

    @Test
    void who_reads_the_result_of_a_step_beside_it_is_told_so() {
        SagaInstance saga = run(define().step("reads")
                .action(c -> {
                    c.result(FIRST);
                })
                .compensate(c -> {})
                .retry(Retry.none())
                .step(FIRST)
                .afterStart()
                .action(c -> new Answer("beside"))
                .compensate((c, answer) -> {})
                .build());

        assertThat(memory.history(saga.sagaId()).get(0).entry().errorText())
                .endsWith("step first of test v1 has no result; step reads does not wait for it");
    }

    @Test
    void a_condition_that_throws_is_asked_again_by_the_policy_and_then_turns_the_saga() {
        SagaInstance saga = run(onlyIf(c -> {
            calls.add("asked");
            throw new IllegalStateException("broken");
        }));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).as("the step itself has nothing to undo").containsExactly("asked", "asked", "undo first");
        assertThat(history(saga.sagaId())).contains("second CONDITION 1 FAILED", "second CONDITION 2 FAILED");
    }

    @Test
    void an_action_has_all_its_attempts_after_a_condition_that_failed_once() {
        SagaInstance saga = run(onlyIf(c -> {
            calls.add("asked");
            if (calls.size() == 1) {
                throw new IllegalStateException("broken");
            }
            return true;
        }));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("asked", "asked", "second 1", "third");
    }

    @Test
    void a_condition_that_says_no_in_business_terms_turns_the_saga() {
        SagaInstance saga = run(onlyIf(c -> {
            throw new StepRejectedException("NO", "never");
        }));

        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(calls).containsExactly("undo first");
        assertThat(steps(saga)).containsEntry("second", StepStatus.REJECTED);
    }

    @Test
    void a_condition_is_bounded_by_the_timeout_of_its_step() {
        SagaInstance saga = run(onlyIf(c -> {
            time.run(Duration.ofSeconds(5));
            calls.add("interrupted " + Thread.interrupted());
            throw new IllegalStateException("interrupted");
        }));

        assertThat(calls).containsExactly("interrupted true", "interrupted true", "undo first");
        assertThat(history(saga.sagaId())).contains("second CONDITION 1 TIMED_OUT");
    }

    @Test
    void the_answer_is_recorded_before_the_action_is_called_and_not_asked_for_again() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .onlyIf(c -> {
                    calls.add("asked");
                    return calls.size() == 1;
                })
                .action(c -> {
                    calls.add("one " + c.attempt());
                    assertThat(history(c.sagaId())).contains("one CONDITION 1 SUCCEEDED");
                    if (c.attempt() == 1) {
                        throw node[0].killedHere();
                    }
                })
                .compensate(c -> {})
                .build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("asked", "one 1", "one 2");
    }

    @Test
    void a_node_that_is_lost_while_it_asks_leaves_no_doubt() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = onlyIf(c -> {
            calls.add("asked");
            if (calls.size() == 1) {
                throw node[0].killedHere();
            }
            return false;
        });
        node[0] = node(definition);
        UUID id = node[0].client().start(TYPE, new Input("no")).sagaId();
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("asked", "asked", "third", "undo first");
        assertThat(history(id)).contains("second CONDITION 1 TAKEN_OVER", "second CONDITION 2 SKIPPED");
    }

    @Test
    void a_condition_is_asked_outside_of_the_steps_transaction() {
        SagaInstance saga = run(define().step("one")
                .onlyIf(c -> {
                    calls.add("in a transaction: " + memory.transactions().isActive());
                    return true;
                })
                .transactional()
                .action(c ->
                        calls.add("in a transaction: " + memory.transactions().isActive()))
                .compensate(c -> {})
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("in a transaction: false", "in a transaction: true");
    }

    @Test
    void a_cancel_while_a_pivots_condition_is_asked_turns_the_saga() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .pivot("pay")
                .onlyIf(c -> {
                    assertThat(node[0].client().cancel(c.sagaId(), "not wanted"))
                            .isEqualTo(CancelOutcome.ACCEPTED);
                    time.run(Duration.ofSeconds(1));
                    return true;
                })
                .action(c -> calls.add("pay"))
                .build();
        node[0] = node(definition);
        SagaInstance saga = end(node[0], start(node[0]));

        assertThat(saga.reason()).isEqualTo(SagaReason.CANCELLED);
        assertThat(calls).containsExactly("one", "undo one");
        assertThat(steps(saga)).containsEntry("pay", StepStatus.PENDING);
    }

    @Test
    void a_skipped_pivot_decides_the_saga() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .pivot("pay")
                .onlyIf(c -> false)
                .action(c -> calls.add("pay"))
                .retriable("ship")
                .action(c -> calls.add("cancel: " + node[0].client().cancel(c.sagaId(), "too late")))
                .build();
        node[0] = node(definition);
        SagaInstance saga = end(node[0], start(node[0]));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).hasSize(2).startsWith("one");
    }
}
