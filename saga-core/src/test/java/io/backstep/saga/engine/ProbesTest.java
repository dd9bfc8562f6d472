package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.TypeRef;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Action;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps whose outcome is unknown, and who can tell. */
class ProbesTest extends EngineFixture {
    private static final Retry TWICE = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2);

    /** Its reply is always lost. */
    private SagaDefinition<Input> asking(Action<Input, Probe<Answer>> probe) {
        return define().step(FIRST)
                .action(c -> {
                    always("first " + c.attempt());
                    return new Answer("never heard of");
                })
                .probeOutcome(probe)
                .compensate((c, answer) -> calls.add("undo " + answer.map(Answer::text)))
                .retry(TWICE)
                .timeout(Duration.ofSeconds(5))
                .step("next")
                .action(c -> {
                    calls.add("next " + c.findResult(FIRST).map(Answer::text));
                    if (c.input().text().equals("no")) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .noCompensation("a test")
                .build();
    }

    @Test
    void what_took_effect_is_a_success_with_the_result_that_was_found() {
        SagaInstance saga = run(asking(c -> Probe.tookEffect(new Answer("found"))));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga.result(FIRST)).contains(new Answer("found"));
        assertThat(calls).containsExactly("first 1", "next Optional[found]");
        assertThat(history(saga.sagaId()))
                .containsExactly(
                        "first ACTION 1 FAILED", "first PROBE 1 SUCCEEDED", "next ACTION 1 SUCCEEDED", " SAGA 0 ENDED");
        assertThat(memory.history(saga.sagaId()).get(1).entry().result()).isEqualTo("{\"text\":\"found\"}");
    }

    @Test
    void the_found_result_is_there_for_another_node_and_for_the_compensation() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step(FIRST)
                .action(c -> {
                    always("first");
                    return new Answer("never heard of");
                })
                .probe(c -> Optional.of(new Answer("found")))
                .compensate(
                        (c, answer) -> calls.add("undo " + answer.orElseThrow().text()))
                .step("kills")
                .action(c -> {
                    if (c.attempt() == 1) {
                        throw node[0].killedHere();
                    }
                    throw new StepRejectedException("NO", c.result(FIRST).text());
                })
                .noCompensation("a test")
                .build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("first", "undo found");
    }

    @Test
    void what_did_not_is_called_again_and_finally_not_compensated() {
        SagaInstance saga = run(asking(c -> Probe.didNot()));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(calls).containsExactly("first 1", "first 2");
        assertThat(history(saga.sagaId()))
                .containsExactly(
                        "first ACTION 1 FAILED",
                        "first PROBE 1 DID_NOT",
                        "first ACTION 2 FAILED",
                        "first PROBE 1 DID_NOT",
                        " SAGA 0 TURNED",
                        " SAGA 0 ENDED");
        assertThat(memory.compensations(saga.sagaId())).isEmpty();
    }

    @Test
    void what_nobody_knows_is_called_again_then_asked_by_the_policy_then_undone_as_unknown() {
        SagaInstance saga = run(asking(c -> {
            calls.add("asked " + c.attempt());
            return Probe.unknown();
        }));

        assertThat(calls).containsExactly("first 1", "asked 1", "first 2", "asked 1", "asked 2", "undo Optional.empty");
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_probe_knows_whom_to_ask_and_runs_outside_of_any_transaction() {
        run(asking(c -> {
            calls.add(c.stepName() + " " + c.idempotencyKey().equals(c.sagaId() + ":first") + " "
                    + c.operationKey().endsWith(":first:action") + " " + c.remaining() + " " + c.isOwner()
                    + " " + memory.transactions().isActive());
            return Probe.tookEffect(new Answer("found"));
        }));

        assertThat(calls).contains("first true true PT5S true false");
    }

    @Test
    void what_a_probe_throws_is_recorded_and_means_that_it_does_not_know() {
        SagaInstance saga = run(asking(c -> {
            if (calls.size() == 1) {
                throw new StepRejectedException("GONE", "never heard of it");
            }
            throw new IOException("away");
        }));

        assertThat(saga.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(history(saga.sagaId())).contains("first PROBE 1 FAILED", "first PROBE 2 FAILED");
        assertThat(memory.history(saga.sagaId()).get(1).entry().errorText()).contains("never heard of it");
        assertThat(memory.history(saga.sagaId()).get(3).entry().errorText()).contains("away");
    }

    @Test
    void a_probe_that_returns_null_does_not_know() {
        SagaInstance saga = run(asking(c -> null));

        assertThat(calls).containsExactly("first 1", "first 2", "undo Optional.empty");
        assertThat(memory.history(saga.sagaId()).get(1).entry().errorText())
                .contains("the probe of step first returned null");
    }

    @Test
    void a_probe_is_bounded_by_the_timeout_of_its_step() {
        SagaInstance saga = run(asking(c -> {
            time.run(Duration.ofSeconds(5));
            calls.add("interrupted " + Thread.interrupted());
            throw new InterruptedException();
        }));

        assertThat(calls).contains("interrupted true");
        assertThat(history(saga.sagaId())).contains("first PROBE 1 TIMED_OUT");
    }

    @Test
    void after_a_takeover_the_probe_is_asked_before_anything_is_called() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step(FIRST)
                .action(c -> {
                    calls.add("first " + c.attempt());
                    throw node[0].killedHere();
                })
                .probe(c -> Optional.of(new Answer("found")))
                .compensate((c, answer) -> {})
                .build();
        node[0] = node(definition);
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("first 1");
        assertThat(history(id)).startsWith("first ACTION 1 TAKEN_OVER", "first PROBE 1 SUCCEEDED");
    }

    @Test
    void a_probe_that_is_lost_with_its_node_is_asked_again() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = asking(c -> {
            calls.add("asked");
            if (node[0].alive() && calls.size() == 2) {
                throw node[0].killedHere();
            }
            return Probe.tookEffect(new Answer("found"));
        });
        node[0] = node(definition);
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        assertThat(row(id).steps()).contains("\"first\":[\"EXECUTING\",1,0,0,9]");
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("first 1", "asked", "asked", "next Optional[found]");
        assertThat(history(id)).contains("first PROBE 1 TAKEN_OVER", "first PROBE 1 SUCCEEDED");
    }

    @Test
    void the_answer_of_a_node_that_lost_the_saga_is_refused() {
        TestNode[] node = new TestNode[2];
        SagaDefinition<Input> definition = asking(c -> {
            calls.add("asked");
            if (calls.stream().filter("asked"::equals).count() == 1) {
                node[0].pause();
                time.run(Duration.ofSeconds(15));
                return Probe.didNot();
            }
            return Probe.tookEffect(new Answer("found"));
        });
        node[0] = node(definition);
        node[1] = node(definition);
        UUID id = node[0].client().start(TYPE, INPUT).sagaId();
        SagaInstance saga = end(node[1], id);
        node[0].resume();

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).contains("first PROBE 1 TAKEN_OVER", "first PROBE 1 SUCCEEDED");
        assertThat(history(id)).noneMatch(line -> line.contains("DID_NOT"));
    }

    @Test
    void a_pivot_is_parked_as_unknown_only_when_its_probe_does_not_know_at_the_end() {
        TestNode node = node(define().pivot("pay")
                .action(c -> always("pay"))
                .probeOutcome(c -> {
                    calls.add("asked");
                    return calls.size() < 7 ? Probe.unknown() : Probe.tookEffect();
                })
                .retry(TWICE)
                .retriable("ship")
                .action(c -> calls.add("ship"))
                .build());
        UUID id = start(node);
        SagaInstance parked = end(node, id);
        assertThat(parked.reason()).isEqualTo(SagaReason.PIVOT_UNKNOWN);
        assertThat(calls).containsExactly("pay", "asked", "pay", "asked", "asked");

        calls.add("an operator retries");
        SagaAdmin.of(node.engine).retry(id, AdminRequest.by("ann", "asked the bank"));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).endsWith("an operator retries", "asked", "ship");
    }

    @Test
    void a_rejection_after_a_doubt_is_definite_when_the_probe_says_so() {
        SagaInstance saga = run(define().step(FIRST)
                .action(c -> {
                    call("first", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .probeOutcome(c -> Probe.didNot())
                .compensate((c, answer) -> calls.add("undo"))
                .build());

        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(steps(saga)).containsEntry("first", StepStatus.REJECTED);
        assertThat(calls).containsExactly("first", "first");
    }

    @Test
    void a_rejection_after_a_doubt_is_definite_where_the_step_says_so() {
        SagaInstance saga = run(define().pivot("pay")
                .action(c -> {
                    call("pay", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .rejectionIsDefinite()
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(steps(saga)).containsEntry("pay", StepStatus.REJECTED);
    }

    @Test
    void at_most_once_is_not_called_again_after_a_failure_or_a_takeover() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("mail")
                .action(c -> {
                    calls.add("mail");
                    if (c.input().text().equals("in")) {
                        throw node[0].killedHere();
                    }
                    throw new IOException("reply lost");
                })
                .compensate(c -> calls.add("undo"))
                .atMostOnce()
                .build();
        node[0] = node(definition);
        UUID failed = node[0].client().start(TYPE, new Input("fails")).sagaId();
        assertThat(end(node[0], failed).status()).isEqualTo(SagaStatus.COMPENSATED);
        UUID lost = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(definition);

        assertThat(end(node[0], lost).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("mail", "undo", "mail", "undo");
        assertThat(history(lost)).startsWith("mail ACTION 1 TAKEN_OVER", " SAGA 0 TURNED");
    }

    @Test
    void an_intent_that_was_never_called_is_called_though_it_is_at_most_once() {
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("mail")
                .action(c -> calls.add("mail"))
                .noCompensation("a test")
                .atMostOnce()
                .build();
        node[0] = new TestNode(time, store, memory.transactions(), TestNode.tuning(), definition).started();
        UUID id = start(node[0]);
        node[0].engine.close();
        node[0] = node(definition);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("mail");
    }

    @Test
    void a_found_result_that_cannot_be_kept_parks_and_counts_as_done() {
        Step<List<Object>> odd = Step.named("odd", new TypeRef<List<Object>>() {});
        SagaInstance saga = run(define().step(odd)
                .action(c -> {
                    throw new IOException("reply lost");
                })
                .probe(c -> Optional.of(List.of(new Object() {
                    @SuppressWarnings("unused")
                    public String getBroken() {
                        throw new IllegalStateException("broken");
                    }
                })))
                .noCompensation("a test")
                .build());

        assertThat(saga.reason()).isEqualTo(SagaReason.RESULT_UNREADABLE);
        assertThat(steps(saga)).containsEntry("odd", StepStatus.SUCCEEDED);
        assertThat(history(saga.sagaId())).contains("odd PROBE 1 SUCCEEDED");
    }

    @Test
    void another_definition_of_the_version_may_have_lost_its_probe() {
        TestNode[] node = new TestNode[1];
        node[0] = node(asking(c -> {
            throw node[0].killedHere();
        }));
        UUID id = start(node[0]);
        time.runUntil(() -> !node[0].alive());
        node[0] = node(define().step(FIRST)
                .action(c -> new Answer("again"))
                .compensate((c, answer) -> {})
                .step("next")
                .action(c -> calls.add("next " + c.result(FIRST).text()))
                .noCompensation("a test")
                .build());

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id))
                .contains("first PROBE 1 TAKEN_OVER", "first PROBE 1 UNKNOWN", "first ACTION 3 SUCCEEDED");
    }
}
