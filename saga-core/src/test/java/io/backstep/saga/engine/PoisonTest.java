package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps that kill their node. */
class PoisonTest extends EngineFixture {
    private static final SagaType<Input> HARMLESS = SagaType.named("harmless", Input.class);

    private TestNode node;
    private int running;
    private int most;

    private SagaDefinition<Input> poison() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("poison")
                .action(c -> {
                    calls.add("poison " + c.attempt());
                    throw node.killedHere();
                })
                .compensate(c -> calls.add("undo poison"))
                .build();
    }

    /** Each of its steps takes two seconds, so that it is under way when the node dies. */
    private SagaDefinition<Input> harmless() {
        return Saga.define(HARMLESS)
                .step("slow")
                .action(c -> {
                    calls.add("slow");
                    time.run(Duration.ofSeconds(2));
                    if (!node.alive()) {
                        throw new AssertionError("dead");
                    }
                })
                .noCompensation("nothing to undo")
                .build();
    }

    private TestNode fresh() {
        node = node(poison(), harmless());
        return node;
    }

    @Test
    void a_step_that_kills_its_node_is_parked_after_five_takeovers() { // F004, F025, M14
        UUID id = start(fresh());
        List<TestNode> all = new ArrayList<>();
        for (int i = 0; i < 8 && !settled(id); i++) {
            time.runUntil(() -> settled(id) || !node.alive());
            all.add(node);
            if (!settled(id)) {
                fresh();
            }
        }
        SagaInstance saga = node.client().find(id).orElseThrow();
        assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
        assertThat(steps(saga)).containsEntry("poison", StepStatus.UNKNOWN);
        assertThat(calls).containsExactly("one", "poison 1", "poison 2", "poison 3", "poison 4", "poison 5");
        assertThat(node.alerts).hasSize(1);
    }

    @Test
    void the_neighbours_of_a_poison_step_are_not_parked() {
        TestNode first = fresh();
        UUID id = start(first);
        List<UUID> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(first.client().start(HARMLESS, INPUT).sagaId());
        }
        for (int i = 0; i < 30 && !(settled(id) && others.stream().allMatch(this::settled)); i++) {
            time.runUntil(() -> !node.alive() || (settled(id) && others.stream().allMatch(this::settled)));
            if (!node.alive()) {
                fresh();
            }
        }
        assertThat(row(id).reason()).isEqualTo(SagaReason.TAKEOVER_LIMIT);
        assertThat(others).allSatisfy(other -> assertThat(row(other).status()).isEqualTo(SagaStatus.COMPLETED));
    }

    @Test
    void suspects_run_one_at_a_time() {
        SagaDefinition<Input> definition = define().step("suspect")
                .action(c -> {
                    if (c.attempt() <= 2) {
                        time.run(Duration.ofMillis(1));
                        throw node.killedHere();
                    }
                    most = Math.max(most, ++running);
                    calls.add("begin");
                    time.run(Duration.ofSeconds(3));
                    running--;
                    calls.add("end");
                })
                .noCompensation("nothing to undo")
                .build();
        List<UUID> ids = new ArrayList<>();
        node = node(definition);
        for (int i = 0; i < 4; i++) {
            ids.add(start(node));
        }
        for (int i = 0; i < 30 && !ids.stream().allMatch(this::settled); i++) {
            time.runUntil(() -> !node.alive() || ids.stream().allMatch(this::settled));
            if (!node.alive()) {
                node = node(definition);
            }
        }
        assertThat(ids).allSatisfy(id -> assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED));
        assertThat(most).isEqualTo(1);
        assertThat(calls).containsExactly("begin", "end", "begin", "end", "begin", "end", "begin", "end");
    }

    @Test
    void a_suspect_at_the_gate_is_let_go_when_its_node_stops() {
        Tuning atOnce = TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60));
        List<UUID> ids = new ArrayList<>();
        List<UUID> kept = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("suspect")
                .action(c -> {
                    if (c.attempt() <= 2) {
                        time.run(Duration.ofMillis(1));
                        throw node.killedHere();
                    }
                    if (calls.add("third") && calls.size() == 1) {
                        node.engine.close();
                        ids.stream().filter(id -> row(id).owner() != null).forEach(kept::add);
                        Thread.interrupted(); // its grace is over at once
                    }
                })
                .noCompensation("nothing to undo")
                .build();
        node = node(atOnce, definition);
        ids.add(start(node));
        ids.add(start(node));
        while (calls.isEmpty()) {
            time.runUntil(() -> !node.alive() || !calls.isEmpty());
            if (!node.alive()) {
                node = node(atOnce, definition);
            }
        }

        assertThat(kept).as("the one that runs").hasSize(1);
    }

    /** Kills its node twice, then takes three seconds. */
    private void suspect(StepContext<Input> c) {
        if (c.attempt() <= 2) {
            time.run(Duration.ofMillis(1));
            throw node.killedHere();
        }
        time.run(Duration.ofSeconds(3));
    }

    @Test
    void a_saga_that_turns_behind_the_gate_does_so_in_time_and_leaves_the_gate_to_others() {
        Duration deadline = Duration.ofSeconds(24);
        SagaDefinition<Input> turning = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> always("undo one"))
                .compensationRetry(Retry.fixed(Duration.ofSeconds(60)).maxAttempts(3))
                .step("suspect")
                .action(this::suspect)
                .noCompensation("nothing to undo")
                .deadline(deadline)
                .build();
        SagaDefinition<Input> patient = Saga.define(HARMLESS)
                .step("suspect")
                .action(this::suspect)
                .noCompensation("nothing to undo")
                .build();
        List<UUID> ids = new ArrayList<>();
        node = node(turning, patient);
        for (int i = 0; i < 4; i++) {
            ids.add(start(node));
        }
        List<UUID> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(node.client().start(HARMLESS, INPUT).sagaId());
        }
        ids.addAll(others);
        for (int i = 0; i < 30 && !ids.stream().allMatch(this::settled); i++) {
            time.runUntil(() -> !node.alive() || ids.stream().allMatch(this::settled));
            if (!node.alive()) {
                node = node(turning, patient);
            }
        }

        List<UUID> turned = ids.stream()
                .filter(id -> row(id).reason() == SagaReason.COMPENSATION_EXHAUSTED)
                .toList();
        assertThat(turned).hasSizeGreaterThanOrEqualTo(2);
        assertThat(turned).allSatisfy(id -> assertThat(turnedAfter(id)).isLessThan(deadline.plusSeconds(1)));
        assertThat(others).map(this::row).allSatisfy(other -> {
            assertThat(other.status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(Duration.between(other.createdAt(), other.updatedAt())).isLessThan(Duration.ofSeconds(60));
        });
    }

    private Duration turnedAfter(UUID id) {
        return store.history(id).stream()
                .filter(line -> line.entry().outcome() == Outcome.TURNED)
                .map(line -> Duration.between(row(id).createdAt(), line.startedAt()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_compensation_that_kills_its_node_does_not_stop_the_others() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> calls.add("two"))
                .compensate(c -> {
                    calls.add("undo two");
                    throw node.killedHere();
                })
                .step("three")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo three"))
                .build();
        node = node(definition);
        UUID id = start(node);
        for (int i = 0; i < 10 && !settled(id); i++) {
            time.runUntil(() -> !node.alive() || settled(id));
            if (!node.alive()) {
                node = node(definition);
            }
        }
        assertThat(row(id).reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(calls).filteredOn("undo two"::equals).hasSize(5);
        assertThat(calls).endsWith("undo one");
    }
}
