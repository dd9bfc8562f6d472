package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.TuningStage;
import io.backstep.saga.definition.VoidCompensationStage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How sagas end: each way of going forward, with each way of going back. */
class EndingsTest extends EngineFixture {
    private enum Forward {
        SUCCEEDS(null),
        IS_REJECTED(SagaReason.REJECTED),
        FAILS(SagaReason.ATTEMPTS_EXHAUSTED),
        TIMES_OUT(SagaReason.ATTEMPTS_EXHAUSTED),
        MISSES_THE_DEADLINE(SagaReason.DEADLINE_EXCEEDED),
        IS_CANCELLED(SagaReason.CANCELLED);

        private final @Nullable SagaReason turns;

        Forward(@Nullable SagaReason turns) {
            this.turns = turns;
        }
    }

    private enum Undo {
        SUCCEEDS,
        SUCCEEDS_AT_LAST,
        FAILS,
        SUCCEEDS_PARTLY,
        IS_REJECTED,
        IS_NOT_NEEDED
    }

    private @Nullable TestNode node;

    static Stream<Arguments> all() {
        return Stream.of(Forward.values())
                .flatMap(forward -> Stream.of(Undo.values()).map(undo -> Arguments.of(forward, undo)));
    }

    @ParameterizedTest // F121
    @MethodSource("all")
    void every_combination_has_one_status(Forward forward, Undo undo) {
        List<String> told = new ArrayList<>();
        SagaListener listener = new SagaListener() {
            @Override
            public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
                if (!saga.status().active()) {
                    told.add("" + saga.status());
                }
            }
        };
        node = listening(listener, definition(forward, undo));

        SagaInstance saga = end(node, start(node));

        boolean stuck = undo == Undo.FAILS || undo == Undo.SUCCEEDS_PARTLY || undo == Undo.IS_REJECTED;
        SagaStatus expected =
                forward.turns == null ? SagaStatus.COMPLETED : stuck ? SagaStatus.FAILED : SagaStatus.COMPENSATED;
        SagaReason reason = expected == SagaStatus.FAILED ? SagaReason.COMPENSATION_EXHAUSTED : forward.turns;
        assertThat(saga.status()).isEqualTo(expected);
        assertThat(saga.reason()).isEqualTo(reason);
        assertThat(row(saga.sagaId()).status()).isEqualTo(expected);
        assertThat(row(saga.sagaId()).reason()).isEqualTo(reason);
        assertThat(told).containsExactly("" + expected);
        if (expected == SagaStatus.FAILED) {
            boolean partly = undo == Undo.SUCCEEDS_PARTLY;
            assertThat(steps(saga))
                    .containsEntry("between", StepStatus.COMPENSATION_FAILED)
                    .containsEntry("first", partly ? StepStatus.COMPENSATED : StepStatus.COMPENSATION_FAILED);
        }
    }

    private SagaDefinition<Input> definition(Forward forward, Undo undo) {
        boolean partly = undo == Undo.SUCCEEDS_PARTLY;
        TuningStage<Input> first = undone(define().step("first").action(c -> {}), partly ? Undo.SUCCEEDS : undo);
        TuningStage<Input> between = undone(first.step("between").action(c -> {}), partly ? Undo.FAILS : undo);
        return between.step("second")
                .action(c -> forward(forward, c.sagaId()))
                .compensate(c -> {})
                .timeout(Duration.ofSeconds(5))
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .deadline(Duration.ofMinutes(1))
                .build();
    }

    private static TuningStage<Input> undone(VoidCompensationStage<Input> step, Undo undo) {
        return undo == Undo.IS_NOT_NEEDED
                ? step.noCompensation("it only reads")
                : step.compensate(c -> undo(undo, c.attempt()))
                        .compensationRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2));
    }

    private static void undo(Undo undo, int attempt) {
        if (undo == Undo.FAILS || (undo == Undo.SUCCEEDS_AT_LAST && attempt == 1)) {
            throw new IllegalStateException("away");
        }
        if (undo == Undo.IS_REJECTED) {
            throw new StepRejectedException("NO", "not undone");
        }
    }

    private void forward(Forward forward, UUID id) {
        switch (forward) {
            case SUCCEEDS -> calls.add("second");
            case IS_REJECTED -> throw new StepRejectedException("NO", "no");
            case FAILS -> throw new IllegalStateException("away");
            case TIMES_OUT -> {
                time.run(Duration.ofSeconds(6));
                throw new IllegalStateException("interrupted");
            }
            case MISSES_THE_DEADLINE -> time.run(Duration.ofSeconds(61));
            case IS_CANCELLED -> {
                assertThat(node.client().cancel(id, "no need")).isEqualTo(CancelOutcome.ACCEPTED);
                throw new IllegalStateException("away");
            }
        }
    }

    @Test // F019
    void a_last_step_that_ends_about_the_deadline_gives_an_end_or_an_undo_but_never_a_mixture() {
        Random random = new Random(19);
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("last")
                .action(c -> {
                    time.run(Duration.ofMillis(9_990 + random.nextInt(21)));
                    calls.add("last");
                    if (random.nextInt(10) == 0) {
                        throw new IllegalStateException("its answer is lost");
                    }
                })
                .compensate(c -> calls.add("undo last"))
                .retry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(2))
                .timeout(Duration.ofSeconds(10))
                .deadline(Duration.ofSeconds(10))
                .build();
        TestNode node = node(TestNode.tuning().withLease(Duration.ofSeconds(10), Duration.ofMinutes(1)), definition);
        int completed = 0;
        for (int run = 0; run < 1000; run++) {
            calls.clear();
            SagaInstance saga = end(node, start(node));
            boolean complete = saga.status() == SagaStatus.COMPLETED;
            completed += complete ? 1 : 0;

            if (complete) {
                assertThat(calls).startsWith("one", "last").doesNotContain("undo one", "undo last");
            } else {
                assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
                assertThat(calls).startsWith("one", "last").endsWith("undo last", "undo one");
                assertThat(calls.stream().filter(call -> call.startsWith("undo")))
                        .hasSize(2);
            }
        }
        assertThat(completed).as("both happen").isBetween(100, 900);
    }

    @Test // F118
    void a_step_that_needs_no_compensation_is_left_out_and_recorded_as_such() {
        SagaInstance saga = run(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .noCompensation("it only reads")
                .step("three")
                .action(c -> calls.add("three"))
                .compensate(c -> calls.add("undo three"))
                .step("four")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo four"))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "two", "three", "undo three", "undo one");
        assertThat(history(saga.sagaId())).contains("two COMPENSATION 0 SKIPPED");
    }

    @Test // F119
    void a_late_result_changes_nothing_and_the_deadline_never_moves() {
        SagaDefinition<Input> definition = define().step("slow")
                .action(c -> {
                    calls.add("slow " + c.attempt());
                    if (c.attempt() == 1) {
                        throw new IllegalStateException("away");
                    }
                    time.run(Duration.ofMinutes(10));
                    calls.add("late, owner " + c.isOwner());
                })
                .compensate(c -> calls.add("undo slow"))
                .retry(Retry.fixed(Duration.ofSeconds(5)).maxAttempts(2))
                .timeout(Duration.ofSeconds(20))
                .deadline(Duration.ofMinutes(1))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        Instant deadline = row(id).deadline();
        time.runUntil(() -> settled(id));
        var ended = row(id);
        List<String> lines = history(id);

        time.runUntil(() -> calls.contains("late, owner false"));
        time.run(Duration.ofMinutes(10));

        assertThat(ended.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(ended.deadline()).isEqualTo(deadline);
        assertThat(row(id)).isEqualTo(ended);
        assertThat(history(id)).isEqualTo(lines);
        assertThat(calls).containsExactly("slow 1", "slow 2", "undo slow", "late, owner false");
    }
}
