package io.backstep.saga.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.serialization.AesGcmCodec;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** What steps are handed, what is recorded of them, and what it costs. */
class StepCallsTest extends EngineFixture {
    private static final Step<Optional<String>> MAYBE = Step.named("maybe", new TypeRef<>() {});

    @Test
    void a_later_step_and_the_compensation_get_the_recorded_result() {
        SagaDefinition<Input> definition = define().step(FIRST)
                .action(c -> new Answer(c.input().text() + "-1"))
                .compensate((c, answer) -> calls.add("undo "
                        + answer.orElseThrow().text() + " " + c.result(FIRST).text()))
                .step("second")
                .action(c -> {
                    calls.add(c.result(FIRST).text());
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo second"))
                .build();
        SagaInstance saga = run(definition);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("in-1", "undo in-1 in-1");
    }

    @Test
    void a_null_result_is_absent_for_later_steps_and_for_the_compensation() { // D18
        SagaDefinition<Input> definition = define().step(FIRST)
                .action(c -> null)
                .compensate((c, answer) -> calls.add("undo " + answer))
                .step("second")
                .action(c -> {
                    calls.add("found " + c.findResult(FIRST));
                    try {
                        c.result(FIRST);
                    } catch (NoSuchElementException e) {
                        calls.add("none");
                    }
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo second"))
                .build();
        SagaInstance saga = run(definition);
        assertThat(saga.result(FIRST)).isEmpty();
        assertThat(calls).containsExactly("found Optional.empty", "none", "undo Optional.empty");
    }

    /** The compensation and the last step are on another node, which has read the result. */
    @ParameterizedTest // D18
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "null | Optional.empty | Optional.empty",
                "empty | Optional.empty | Optional.empty",
                "some | Optional[Optional[some]] | Optional[some]"
            })
    void an_empty_optional_is_a_result_that_is_absent_and_any_other_keeps_its_value(
            @Nullable String text, String found, String result) {
        Optional<String> made = "empty".equals(text) ? Optional.empty() : text == null ? null : Optional.of(text);
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> definition = define().step(MAYBE)
                .action(c -> made)
                .compensate((c, maybe) -> calls.add("undo " + maybe))
                .step("dies")
                .action(c -> {
                    calls.add(c.findResult(MAYBE) + " " + c.result(MAYBE));
                    if (c.attempt() == 1) {
                        throw first[0].killedHere();
                    }
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> {})
                .rejectionIsDefinite()
                .build();
        first[0] = node(definition);
        UUID id = start(first[0]);
        SagaInstance saga = end(node(definition), id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly(found + " " + result, found + " " + result, "undo " + found);
        assertThat("" + saga.result(MAYBE)).isEqualTo(found);
        assertThat(memory.history(id).get(0).entry().result()).isEqualTo("some".equals(text) ? "\"some\"" : null);
    }

    @ParameterizedTest // D18
    @MethodSource("nothings")
    void what_json_calls_null_is_absent_however_it_comes_and_whatever_encodes_it(Step<Object> step, Object nothing) {
        SagaDefinition<Input> definition = define().step(step)
                .action(c -> {
                    throw new IllegalStateException("in doubt");
                })
                .probeOutcome(c -> Probe.tookEffect(nothing))
                .compensate((c, maybe) -> calls.add("undo " + maybe))
                .awaitSignal(MAYBE, Duration.ofDays(1))
                .step("last")
                .action(c -> {
                    calls.add(c.findResult(step) + " " + c.findResult(MAYBE) + " " + c.result(MAYBE));
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> {})
                .build();
        TestNode node = encrypting(
                AesGcmCodec.of(
                        "k", Base64.getEncoder().encodeToString("0123456789abcdef0123456789abcdef".getBytes(US_ASCII))),
                definition);
        UUID id = start(node);
        node.client().signal(id, MAYBE, Optional.empty(), "m");
        SagaInstance saga = end(node, id);

        assertThat(calls).containsExactly("Optional.empty Optional.empty Optional.empty", "undo Optional.empty");
        assertThat(saga.result(step)).isEmpty();
        assertThat(saga.result(MAYBE)).isEmpty();
        assertThat(memory.history(id))
                .allSatisfy(line -> assertThat(line.entry().result()).isNull());
    }

    static Stream<Arguments> nothings() {
        return Stream.of(
                Arguments.of(Step.named("maybe-number", OptionalInt.class), OptionalInt.empty()),
                Arguments.of(Step.named("maybe-json", JsonNode.class), NullNode.getInstance()),
                Arguments.of(Step.named("maybe-later", new TypeRef<Optional<List<Instant>>>() {}), Optional.empty()));
    }

    @Test // D18
    void an_optional_that_nobody_waits_for_is_not_known_to_be_empty() {
        run(define().step(MAYBE)
                .action(c -> Optional.empty())
                .noCompensation("nothing")
                .step("beside")
                .afterStart()
                .action(c -> calls.add(String.valueOf(Assertions.catchThrowable(() -> c.result(MAYBE)))))
                .noCompensation("nothing")
                .build());

        assertThat(calls).singleElement().asString().contains("NoSuchElement", "beside does not wait for it");
    }

    @Test
    void keys_stay_the_same_over_retries_a_crash_and_the_compensation() { // G4, F128
        List<String> seen = new ArrayList<>();
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    seen.add(keys(c));
                    call("one", 1);
                    if (c.attempt() == 2) {
                        throw first[0].killedHere();
                    }
                })
                .compensate(c -> seen.add(keys(c)))
                .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(5))
                .step("two")
                .action(c -> {
                    seen.add(keys(c));
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> seen.add(keys(c)))
                .build();
        first[0] = node(definition);
        UUID id = start(first[0]);
        time.runUntil(() -> calls.size() == 2);
        TestNode second = node(definition);
        assertThat(end(second, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(seen)
                .containsExactly(
                        id + ":one " + id + ":one:action 1",
                        id + ":one " + id + ":one:action 2",
                        id + ":one " + id + ":one:action 3",
                        id + ":two " + id + ":two:action 1",
                        id + ":one " + id + ":one:compensation 1");
        assertThat(history(id))
                .containsExactly(
                        "one ACTION 1 FAILED",
                        "one ACTION 2 TAKEN_OVER",
                        "one ACTION 3 SUCCEEDED",
                        "two ACTION 1 REJECTED",
                        " SAGA 0 TURNED",
                        "one COMPENSATION 1 SUCCEEDED",
                        " SAGA 0 ENDED");
    }

    @Test
    void keys_of_calls_in_a_loop_are_distinct_and_the_same_over_retries_and_a_crash() { // F128
        Set<String> keys = new LinkedHashSet<>();
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    for (int i = 0; i < 3; i++) {
                        keys.add(c.operationKey() + ":" + i);
                        calls.add("call " + i);
                        if (c.attempt() == 1 && i == 1) {
                            throw new IOException("away");
                        }
                        if (c.attempt() == 2 && i == 2) {
                            throw first[0].killedHere();
                        }
                    }
                })
                .compensate(c -> {
                    for (int i = 2; i >= 0; i--) {
                        keys.add(c.operationKey() + ":" + i);
                    }
                })
                .retry(Retry.fixed(Duration.ofMillis(100)).maxAttempts(5))
                .step("two")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .build();
        first[0] = node(definition);
        UUID id = start(first[0]);
        time.runUntil(() -> calls.size() == 5);
        assertThat(end(node(definition), id).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(calls)
                .containsExactly("call 0", "call 1", "call 0", "call 1", "call 2", "call 0", "call 1", "call 2");
        assertThat(keys)
                .containsExactly(
                        id + ":one:action:0",
                        id + ":one:action:1",
                        id + ":one:action:2",
                        id + ":one:compensation:2",
                        id + ":one:compensation:1",
                        id + ":one:compensation:0");
    }

    private static String keys(StepContext<?> c) {
        return c.idempotencyKey() + " " + c.operationKey() + " " + c.attempt();
    }

    @Test
    void the_context_names_the_saga_and_its_step() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add(c.sagaName() + " " + c.stepName() + " " + c.businessKey() + " " + c.epoch() + " "
                            + c.isOwner());
                    assertThat(c.remaining()).isEqualTo(Duration.ofSeconds(7));
                })
                .noCompensation("nothing to undo")
                .timeout(Duration.ofSeconds(7))
                .build();
        TestNode node = node(definition);
        end(
                node,
                node.client().start(TYPE, INPUT, StartOptions.businessKey("k")).sagaId());
        assertThat(calls).containsExactly("test one k 1 true");
    }

    @Test
    void n_steps_cost_n_plus_1_writes() {
        SagaDefinition<Input> definition = fourSteps();
        TestNode node = node(definition);
        end(node, start(node));
        assertThat(store.count(FaultyStore.Call.INSERT)).isEqualTo(1);
        assertThat(store.mutations).hasSize(4);
    }

    @Test
    void n_steps_cost_n_plus_2_writes_when_the_start_is_joined() throws Exception {
        TestNode node = node(fourSteps());
        UUID id = memory.transactions().inTransaction(() -> start(node));
        end(node, id);
        assertThat(store.count(FaultyStore.Call.INSERT)).isZero();
        assertThat(store.count(FaultyStore.Call.CLAIM_ONE)).isOne();
        assertThat(store.mutations).as("besides the insert and the claim").hasSize(4);
    }

    @Test
    void transactional_steps_cost_no_write_of_their_own() {
        SagaDefinition<Input> definition = define().step("one")
                .transactional()
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
        assertThat(run(definition).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(store.mutations).hasSize(2);
        assertThat(store.count(FaultyStore.Call.SUBMIT)).isZero();
    }

    private SagaDefinition<Input> fourSteps() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .pivot("three")
                .action(c -> calls.add("three"))
                .bestEffort("four")
                .action(c -> calls.add("four"))
                .build();
    }

    @Test
    void a_hundred_sagas_run_side_by_side_and_each_step_once() {
        TestNode node = node(fourSteps());
        Set<UUID> ids = new LinkedHashSet<>();
        for (int i = 0; i < 100; i++) {
            ids.add(start(node));
        }
        time.runUntil(() -> ids.stream().allMatch(this::settled));
        assertThat(calls).hasSize(400);
        assertThat(node.engine.status().held()).isZero();
    }
}
