package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that begins with much that another has left, and outages at every moment. */
class BacklogTest extends EngineFixture {
    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> calls.add("one " + c.sagaId()))
                .compensate(c -> calls.add("undo one " + c.sagaId()))
                .step("two")
                .transactional()
                .action(c -> calls.add("two " + c.sagaId()))
                .compensate(c -> calls.add("undo two " + c.sagaId()))
                .step("three")
                .action(c -> {
                    if (c.input().text().equals("no")) {
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .compensate(c -> calls.add("undo three " + c.sagaId()))
                .build();
    }

    private List<UUID> leftBehind(int count) {
        TestNode dead = node(definition());
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(start(dead));
        }
        dead.kill();
        time.pass(Duration.ofSeconds(11));
        return ids;
    }

    private long count(String call) {
        return calls.stream().filter(call::equals).count();
    }

    @Test
    void what_starts_while_a_backlog_is_recovered_runs_once() { // F001
        List<UUID> ids = leftBehind(250);
        TestNode node = node(definition());
        List<UUID> fresh = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            fresh.add(start(node));
            time.runUntilExecuted(time.executed() + 7);
        }
        assertThat(ids).as("still recovering").anyMatch(id -> !settled(id));
        ids.addAll(fresh);
        time.runUntil(() -> ids.stream().allMatch(this::settled));
        for (UUID id : fresh) {
            assertThat(history(id))
                    .containsExactly(
                            "one ACTION 1 SUCCEEDED",
                            "two ACTION 1 SUCCEEDED",
                            "three ACTION 1 SUCCEEDED",
                            " SAGA 0 ENDED");
            assertThat(row(id).epoch()).isEqualTo(1);
        }
        assertThat(ids).allSatisfy(id -> {
            assertThat(count("one " + id)).isEqualTo(1);
            assertThat(count("two " + id)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 20, 60})
    void a_connection_that_is_gone_for_two_seconds_while_a_backlog_is_recovered_strands_nothing(int after) { // F002
        List<UUID> ids = leftBehind(250);
        TestNode node = node(definition());
        time.runUntilExecuted(time.executed() + after);
        store.away = true;
        time.run(Duration.ofSeconds(2));
        store.away = false;
        Duration back = time.elapsed();
        time.runUntil(() -> ids.stream().allMatch(this::settled));
        assertThat(time.elapsed().minus(back)).isLessThan(Duration.ofSeconds(5));
        assertThat(ids).allSatisfy(id -> assertThat(count("two " + id)).isEqualTo(1));
        assertThat(node.engine.status().storeReachable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "no"})
    void an_outage_of_half_a_minute_may_begin_at_any_call_of_the_store(String text) { // F134
        boolean good = text.equals("yes");
        for (int call = 1; call <= 12; call++) {
            TestNode node = node(definition());
            UUID id = node.client().start(TYPE, new Input(text)).sagaId();
            store.callsLeft = call;
            time.run(Duration.ofSeconds(30));
            assertThat(store.away).as("at call " + call).isTrue();
            store.away = false;
            time.run(Duration.ofSeconds(10));
            assertThat(row(id).status())
                    .as("at call " + call)
                    .isEqualTo(good ? SagaStatus.COMPLETED : SagaStatus.COMPENSATED);
            assertThat(count("one " + id)).isEqualTo(1);
            assertThat(count("two " + id)).isEqualTo(1);
            assertThat(count("undo two " + id)).isEqualTo(good ? 0 : 1);
            assertThat(count("undo one " + id)).isEqualTo(good ? 0 : 1);
            assertThat(history(id)).doesNotHaveDuplicates();
            node.kill();
        }
    }
}
