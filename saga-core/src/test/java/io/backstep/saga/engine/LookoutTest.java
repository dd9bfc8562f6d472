package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.SagaStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How often a node asks the store for something to do, and what needs no asking. */
class LookoutTest extends EngineFixture {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Tuning HARDLY_EVER = TestNode.tuning().withLease(Duration.ofSeconds(10), HOUR);

    /** Its first attempt fails, and the second is due in 5 minutes. */
    private SagaDefinition<Input> resting() {
        return define().step("one")
                .action(c -> call(c.idempotencyKey(), 1))
                .compensate(c -> calls.add("undo one"))
                .retry(Retry.fixed(Duration.ofMinutes(5)).maxAttempts(2))
                .build();
    }

    private SagaDefinition<Input> parking() {
        return define().pivot("decide")
                .action(c -> call("decide", 1))
                .retry(Retry.none())
                .build();
    }

    private UUID atRest(TestNode node) {
        UUID id = start(node);
        time.runUntil(() -> row(id).owner() == null);
        return id;
    }

    private Map<Call, Integer> callsDuring(Duration pause) {
        Map<Call, Integer> before = new EnumMap<>(store.calls);
        time.run(pause);
        Map<Call, Integer> during = new EnumMap<>(Call.class);
        store.calls.forEach((call, count) -> {
            int more = count - before.getOrDefault(call, 0);
            if (more > 0) {
                during.put(call, more);
            }
        });
        return during;
    }

    @Test
    void an_idle_node_makes_one_call_per_poll_interval_and_no_other() {
        node(TestNode.tuning(), resting());
        time.run(Duration.ofSeconds(10));

        Map<Call, Integer> idle = callsDuring(Duration.ofSeconds(80));

        assertThat(idle).as("with the least jitter").isEqualTo(Map.of(Call.LOOK, 80));
    }

    @Test
    void a_store_that_cannot_give_hints_is_looked_at_all_the_same() {
        TestNode dead = node(TestNode.tuning(), resting());
        UUID id = atRest(dead);
        dead.kill();
        SagaStore withoutHints = new ForwardingStore(store) {
            @Override
            public Listening listen(Runnable hint) {
                throw new IllegalStateException("no connection for it");
            }
        };
        new TestNode(time, withoutHints, memory.transactions(), TestNode.tuning(), resting()).started();

        time.runUntil(() -> settled(id));
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void sagas_at_rest_and_mail_of_parked_ones_make_no_more_calls() {
        atRest(node(TestNode.tuning(), resting()));
        time.run(Duration.ofSeconds(10));
        assertThat(callsDuring(Duration.ofSeconds(80))).isEqualTo(Map.of(Call.LOOK, 80));
    }

    @Test
    void mail_of_a_parked_saga_makes_no_more_calls() {
        TestNode node = node(TestNode.tuning(), parking());
        UUID id = start(node);
        end(node, id);
        post(id);
        time.run(Duration.ofSeconds(10));

        assertThat(callsDuring(Duration.ofSeconds(80))).isEqualTo(Map.of(Call.LOOK, 80));
    }

    @Test
    void what_is_due_before_the_next_poll_is_taken_when_it_is_due() {
        TestNode node = node(HARDLY_EVER, resting());
        UUID id = atRest(node);
        UUID other = start(node);
        Duration begun = time.elapsed();

        end(node, id);
        end(node, other);

        assertThat(time.elapsed().minus(begun)).isLessThan(Duration.ofMinutes(12));
        assertThat(calls).hasSize(4);
    }

    @Test
    void what_many_sagas_fall_due_for_one_after_the_other_makes_no_more_than_ten_looks_per_interval() {
        TestNode node = node(TestNode.tuning(), resting());
        for (int i = 0; i < 200; i++) {
            start(node);
            time.run(Duration.ofMillis(50));
        }
        time.run(Duration.ofMinutes(5).minusSeconds(10));

        Map<Call, Integer> busy = callsDuring(Duration.ofSeconds(8));

        assertThat(busy.get(Call.LOOK)).isBetween(50, 100);
        assertThat(busy.get(Call.CLAIM)).isLessThanOrEqualTo(busy.get(Call.LOOK));
    }

    @Test
    void a_joined_start_and_a_cancel_here_need_no_poll() throws Exception {
        TestNode node = node(HARDLY_EVER, resting());
        UUID joined = memory.transactions().inTransaction(() -> start(node));
        time.runUntil(() -> row(joined).owner() == null && row(joined).epoch() > 0);
        assertThat(time.elapsed()).isLessThan(Duration.ofMinutes(1));

        assertThat(node.client().cancel(joined, "because")).isEqualTo(CancelOutcome.ACCEPTED);
        time.run(Duration.ofSeconds(1));
        assertThat(row(joined).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void an_operators_retry_here_needs_no_poll() {
        TestNode node = node(HARDLY_EVER, parking());
        UUID id = start(node);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.FAILED);
        Duration begun = time.elapsed();

        SagaAdmin.of(node.engine).act(AdminAction.RETRY, id, AdminRequest.by("ann", "again"));

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(time.elapsed().minus(begun)).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void mail_of_others_for_a_saga_at_rest_makes_it_due_and_whoever_finds_it_takes_it() {
        TestNode node = node(TestNode.tuning(), resting());
        UUID id = atRest(node);
        Duration begun = time.elapsed();
        post(id);

        end(node, id);

        assertThat(time.elapsed().minus(begun))
                .as("one look, not two")
                .isLessThanOrEqualTo(TestNode.tuning().pollInterval());
    }

    @Test
    void a_hint_is_a_look_and_many_hints_at_once_are_one() {
        TestNode node = node(HARDLY_EVER, resting());
        UUID id = atRest(node);
        post(id);
        assertThat(callsDuring(Duration.ofMinutes(1))).isEmpty();

        for (int i = 0; i < 100; i++) {
            store.hint();
        }

        assertThat(callsDuring(Duration.ofSeconds(1))).containsEntry(Call.LOOK, 1);
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_flood_of_hints_is_a_look_every_20_ms() {
        TestNode node = node(HARDLY_EVER, resting());
        time.run(Duration.ofSeconds(1));
        int before = store.count(Call.LOOK);

        for (int i = 0; i < 1000; i++) {
            store.hint();
            time.run(Duration.ofMillis(1));
        }

        assertThat(store.count(Call.LOOK) - before)
                .as("at once, and then every 20 ms, the last time after the last hint")
                .isEqualTo(51);
        assertThat(callsDuring(HOUR.dividedBy(2))).isEmpty();
    }

    @Test
    void hints_while_it_looks_are_one_more_look_after_that() {
        TestNode node = node(HARDLY_EVER, resting());
        time.run(Duration.ofSeconds(1));
        Queue<Runnable> slow = new ArrayDeque<>();
        store.answers = slow::add;
        int before = store.count(Call.LOOK);

        for (int i = 0; i < 100; i++) {
            store.hint();
            time.run(Duration.ofMillis(1));
        }
        assertThat(store.count(Call.LOOK) - before).isEqualTo(1);

        store.answers = Runnable::run;
        slow.remove().run();
        time.run(Duration.ofMillis(19));
        assertThat(store.count(Call.LOOK) - before).isEqualTo(1);
        assertThat(callsDuring(HOUR.dividedBy(2))).isEqualTo(Map.of(Call.LOOK, 1));
    }

    @Test
    void a_hint_for_nothing_costs_one_look_and_one_after_the_end_nothing() {
        TestNode node = node(HARDLY_EVER, resting());
        time.run(Duration.ofSeconds(1));
        store.hint();
        assertThat(callsDuring(Duration.ofSeconds(1))).isEqualTo(Map.of(Call.LOOK, 1));

        Runnable late = store.hints.get(0);
        node.engine.close();
        assertThat(store.hints).isEmpty();
        late.run();

        assertThat(callsDuring(HOUR)).isEmpty();
    }

    private void post(UUID id) {
        try {
            memory.transactions().inTransaction(() -> memory.post(new Mail(id, "cancel", Mail.Kind.CANCEL, "because")));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
