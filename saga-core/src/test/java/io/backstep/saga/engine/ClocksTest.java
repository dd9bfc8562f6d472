package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.time.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Nodes whose clocks differ: only the store's clock says what is due, and whose a saga is. */
class ClocksTest extends EngineFixture {
    private static final Duration AHEAD = Duration.ofMinutes(10);

    private TestNode ahead(SagaDefinition<?> definition) {
        long offset = AHEAD.toNanos();
        return withClock(() -> time.clock().nanos() + offset, definition);
    }

    private TestNode withClock(MonotonicClock clock, SagaDefinition<?> definition) {
        return new TestNode(
                        time,
                        store,
                        memory.transactions(),
                        TestNode.tuning(),
                        List.of(),
                        Runnable::run,
                        clock,
                        definition)
                .started();
    }

    @Test // F007
    void a_node_whose_clock_is_ahead_takes_no_lease_of_another() {
        SagaDefinition<Input> definition = define().step("slow")
                .action(c -> {
                    time.run(Duration.ofMinutes(1));
                    calls.add("slow, epoch " + c.epoch());
                })
                .compensate(c -> calls.add("undo slow"))
                .timeout(Duration.ofMinutes(5))
                .build();
        TestNode node = node(definition);
        ahead(definition);

        SagaInstance saga = end(node, start(node));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("slow, epoch 1");
        assertThat(row(saga.sagaId()).epoch()).isEqualTo(1);
    }

    @Test // F007
    void a_retry_is_due_at_the_same_time_for_every_node() {
        SagaDefinition<Input> definition = define().step("away")
                .action(c -> {
                    calls.add(time.elapsed().toMinutes() + " min");
                    if (calls.size() < 3) {
                        throw new IllegalStateException("away");
                    }
                })
                .noCompensation("it only reads")
                .retry(Retry.fixed(Duration.ofMinutes(5)))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();

        end(ahead(definition), id);

        assertThat(calls).containsExactly("0 min", "5 min", "10 min");
    }

    @Test // F007
    void a_deadline_passes_at_the_same_time_for_every_node() {
        SagaDefinition<Input> definition = define().step("away")
                .action(c -> {
                    throw new IllegalStateException("away");
                })
                .compensate(c -> calls.add("undo after " + time.elapsed().toSeconds() + " s"))
                .retry(Retry.fixed(Duration.ofMinutes(30)))
                .deadline(Duration.ofMinutes(5))
                .build();
        TestNode node = node(definition);
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();

        SagaInstance saga = end(ahead(definition), id);

        assertThat(saga.reason()).isEqualTo(SagaReason.DEADLINE_EXCEEDED);
        assertThat(calls).containsAnyOf("undo after 300 s", "undo after 301 s").hasSize(1);
    }

    @Test // F007, and seeds 1440672 and 1491522 of the simulation
    void what_a_node_with_a_slow_clock_has_claimed_again_goes_on_by_the_later_claim_alone() {
        store.renewAway = true;
        List<Runnable> late = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> store.answers = answer -> {
                    late.add(answer);
                    store.answers = Runnable::run;
                })
                .compensate(c -> {})
                .step("two")
                .action(c -> calls.add("two, epoch " + c.epoch()))
                .compensate(c -> {})
                .build();
        TestNode node = withClock(() -> time.clock().nanos() / 2, definition);
        UUID id = start(node);
        time.runUntil(() -> row(id).epoch() == 2);

        late.forEach(Runnable::run);

        time.run(Duration.ofSeconds(1));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("two, epoch 2");
        assertThat(node.engine.status().held()).isZero();
    }
}
