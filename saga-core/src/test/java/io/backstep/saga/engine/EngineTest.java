package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InMemorySagaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The way of one saga through the engine, on virtual time. */
class EngineTest {
    record Order(String sku, int quantity) {}

    record Reservation(String id) {}

    static final SagaType<Order> TYPE = SagaType.named("order", Order.class);
    static final Step<Reservation> RESERVE = Step.named("reserve", Reservation.class);

    final VirtualTime time = new VirtualTime();
    final InMemorySagaStore store = new InMemorySagaStore(time::now);
    final List<String> calls = new ArrayList<>();
    boolean declined;

    SagaDefinition<Order> definition() {
        return Saga.define(TYPE)
                .step("create")
                .transactional()
                .action(c -> calls.add("create " + c.input().sku()))
                .compensate(c -> calls.add("reject"))
                .step(RESERVE)
                .action(c -> {
                    calls.add("reserve");
                    return new Reservation("r-" + c.input().quantity());
                })
                .compensate((c, reservation) ->
                        calls.add("release " + reservation.map(Reservation::id).orElse("?")))
                .step("pay")
                .action(c -> {
                    calls.add("pay " + c.result(RESERVE).id());
                    if (declined) {
                        throw new StepRejectedException("DECLINED", "no money");
                    }
                })
                .compensate(c -> calls.add("refund"))
                .pivot("confirm")
                .transactional()
                .action(c -> calls.add("confirm"))
                .retriable("ship")
                .action(c -> calls.add("ship"))
                .bestEffort("mail")
                .action(c -> calls.add("mail"))
                .deadline(Duration.ofMinutes(10))
                .build();
    }

    TestNode node() {
        return new TestNode(time, store, store.transactions(), TestNode.tuning(), definition()).started();
    }

    SagaInstance end(TestNode node, UUID id) {
        time.runUntil(() -> {
            SagaStatus status = node.client().find(id).orElseThrow().status();
            return status.ended() || status == SagaStatus.FAILED;
        });
        return node.client().find(id).orElseThrow();
    }

    @Test
    void a_saga_runs_its_steps_in_order_and_completes() {
        TestNode node = node();
        SagaInstance saga =
                end(node, node.client().start(TYPE, new Order("book", 2)).sagaId());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("create book", "reserve", "pay r-2", "confirm", "ship", "mail");
        assertThat(saga.result(RESERVE)).contains(new Reservation("r-2"));
        assertThat(node.engine.status().held()).isZero();
    }

    @Test
    void a_rejection_compensates_what_was_done_in_reverse() {
        declined = true;
        TestNode node = node();
        SagaInstance saga =
                end(node, node.client().start(TYPE, new Order("book", 2)).sagaId());
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(saga.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(calls).containsExactly("create book", "reserve", "pay r-2", "release r-2", "reject");
    }

    @Test
    void a_killed_node_is_taken_over_when_its_lease_is_over() {
        TestNode first = node();
        UUID id = first.client().start(TYPE, new Order("book", 2)).sagaId();
        time.runUntil(() -> calls.contains("reserve"));
        first.kill();
        TestNode second = node();
        SagaInstance saga = end(second, id);
        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(time.elapsed()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(12));
    }
}
