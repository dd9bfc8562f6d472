package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Two nodes with the same id. */
class TwinsTest extends EngineFixture {
    private final Twins twins = new Twins("node/1", "node", time.clock(), Duration.ofSeconds(10));

    @Test // C8
    void another_node_of_the_same_id_is_told_of_once() {
        assertThat(twins.look("node/2"))
                .as("it may be the one before a restart")
                .isFalse();
        time.pass(Duration.ofSeconds(31));

        assertThat(twins.look(null)).isFalse();
        assertThat(twins.look("node/1")).isFalse();
        assertThat(twins.look("node2/2")).isFalse();
        assertThat(twins.look("node/2")).isTrue();
        assertThat(twins.look("node/2")).isFalse();
        assertThat(twins.look("node/3")).isFalse();
    }

    @Test // C8
    void both_nodes_work_and_each_saga_is_ones_alone() {
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add(c.sagaId() + "");
                    time.run(Duration.ofSeconds(20));
                })
                .noCompensation("it only reads")
                .build();
        TestNode first = node(definition);
        TestNode second = node(definition);
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(start(first));
            ids.add(start(second));
        }
        time.runUntil(() -> ids.stream().allMatch(this::settled));

        assertThat(ids).allSatisfy(id -> assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED));
        assertThat(calls).hasSize(10).doesNotHaveDuplicates();
    }
}
