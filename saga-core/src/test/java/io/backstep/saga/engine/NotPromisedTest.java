package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is not promised, each by an example in which it does not hold. */
class NotPromisedTest extends EngineFixture {
    @Test
    void no_isolation_another_saga_reads_what_is_undone_later() { // G24
        AtomicInteger stock = new AtomicInteger(10);
        List<Integer> seen = new ArrayList<>();
        TestNode[] node = new TestNode[1];
        SagaDefinition<Input> definition = define().step("look")
                .action(c -> seen.add(stock.get()))
                .noCompensation("it only looks")
                .step("take")
                .action(c -> stock.addAndGet(-1))
                .compensate(c -> stock.addAndGet(1))
                .step("pay")
                .action(c -> {
                    if (seen.size() == 1) {
                        assertThat(end(node[0], start(node[0])).status()).isEqualTo(SagaStatus.COMPLETED);
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .noCompensation("nothing")
                .build();
        node[0] = node(definition);

        assertThat(end(node[0], start(node[0])).status()).isEqualTo(SagaStatus.COMPENSATED);

        assertThat(seen).as("what a saga that was undone had left").containsExactly(10, 9);
        assertThat(stock).hasValue(9);
    }

    @Test
    void no_exactly_once_a_participant_that_ignores_the_key_does_it_again_after_a_lost_reply() { // G24
        List<String> careless = new ArrayList<>();
        Set<String> careful = new HashSet<>();
        SagaInstance saga = run(define().step("charge")
                .action(c -> {
                    careless.add(c.idempotencyKey());
                    careful.add(c.idempotencyKey());
                    if (c.attempt() == 1) {
                        throw new IOException("done, and the reply was lost");
                    }
                })
                .compensate(c -> calls.add("refund"))
                .build());

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(careless).hasSize(2);
        assertThat(careful).as("one that honours the key").hasSize(1);
    }

    @Test
    void no_order_between_sagas_a_later_one_overtakes() { // G24
        List<UUID> done = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("write")
                .action(c -> {
                    call(c.idempotencyKey(), calls.isEmpty() ? 1 : 0);
                    done.add(c.sagaId());
                })
                .noCompensation("nothing")
                .retry(Retry.fixed(Duration.ofSeconds(5)).maxAttempts(2))
                .build();
        TestNode node = node(definition);
        UUID first = start(node);
        time.run(Duration.ofMillis(1));
        UUID second = start(node);

        time.runUntil(() -> settled(first) && settled(second));

        assertThat(done).containsExactly(second, first);
    }

    @Test
    void no_exact_time_a_retry_comes_up_to_a_poll_late() { // G24, G12
        Duration asked = Duration.ofMillis(300_400);
        List<Duration> at = new ArrayList<>();
        TestNode node = node(define().step("one")
                .action(c -> {
                    at.add(time.elapsed());
                    call("one", 1);
                })
                .noCompensation("nothing")
                .retry(Retry.fixed(asked).maxAttempts(2))
                .build());
        UUID id = start(node);
        time.run(asked.minusMillis(100));
        store.next(Call.LOOK, Fault.REFUSED_CONNECTION);
        end(node, id);

        Duration poll = TestNode.tuning().pollInterval();
        assertThat(at.get(1)).isGreaterThan(asked.plusMillis(100)).isLessThanOrEqualTo(asked.plus(poll));
    }

    @Test
    void
            no_call_is_taken_back_a_node_that_wakes_beyond_its_lease_still_delivers_the_one_it_had_decided_on() { // G24, G3
        TestNode[] first = new TestNode[1];
        List<String> keys = new ArrayList<>();
        List<Boolean> owned = new ArrayList<>();
        SagaDefinition<Input> definition = define().step("charge")
                .action(c -> {
                    if (c.epoch() == 1) { // stopped here, between its decision and what it sends
                        first[0].pause();
                        time.runUntil(() -> settled(c.sagaId()));
                    }
                    keys.add(c.idempotencyKey());
                    owned.add(c.isOwner());
                    calls.add("epoch " + c.epoch());
                    if (c.epoch() == 1) {
                        throw new StepRejectedException("NO", "too late to matter");
                    }
                })
                .compensate(c -> calls.add("refund"))
                .build();
        first[0] = node(definition);
        node(definition);
        UUID id = start(first[0]);
        time.runUntil(() -> keys.size() == 2);
        first[0].resume();
        time.run(Duration.ofMinutes(1));

        assertThat(calls).as("the late one comes last, and nothing is undone").containsExactly("epoch 2", "epoch 1");
        assertThat(Set.copyOf(keys)).hasSize(1);
        assertThat(owned).as("who asks is told").containsExactly(true, false);
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(history(id)).filteredOn(line -> line.endsWith("SUCCEEDED")).hasSize(1);
        assertThat(history(id)).noneMatch(line -> line.endsWith("REJECTED"));
    }
}
