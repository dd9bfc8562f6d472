package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.jdbc.Nodes.Node;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Rows that cannot be read, due together with many that can: they stop none of them, and are shown as they are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpoiltRowsIT {
    private static final SagaType<String> TYPE = SagaType.named("spoilt", String.class);
    private static final Step<Integer> ONE = Step.named("one", Integer.class);
    private static final SagaDefinition<String> DEFINITION = Saga.define(TYPE)
            .step(ONE)
            .action(c -> c.input().length())
            .noCompensation("a test")
            .build();

    private final List<Nodes> databases = Nodes.all();

    @AfterAll
    void close() throws Exception {
        for (Nodes nodes : databases) {
            nodes.close();
        }
    }

    @ParameterizedTest // F083
    @FieldSource("databases")
    void spoilt_rows_are_parked_and_a_hundred_others_complete(Nodes nodes) throws Exception {
        List<UUID> ids = left(nodes, 103);
        Map<String, UUID> spoilt = Map.of("input", ids.get(10), "steps", ids.get(50), "result", ids.get(90));
        for (String column : List.of("input", "steps")) {
            nodes.execute(
                    "update saga_instance set " + column + " = 'garbage <' where saga_id = ?",
                    nodes.parameter(spoilt.get(column)));
        }
        nodes.execute(
                "insert into saga_step_history (saga_id, seq, started_at, duration, ordinal, attempt, step, phase, outcome,"
                        + " result, node) select saga_id, 0, created_at, 0, 0, 1, 'one', 'ACTION', 'SUCCEEDED', 'garbage <',"
                        + " 'dead' from saga_instance where saga_id = ?",
                nodes.parameter(spoilt.get("result")));
        nodes.execute("update saga_instance set due_at = created_at where status = 'RUNNING'");

        Node node = nodes.node(DEFINITION);
        SagaAdmin admin = SagaAdmin.of(node.engine());

        Map<UUID, SagaStatus> ended = new HashMap<>();
        ids.forEach(id ->
                ended.put(id, node.client().await(id, Duration.ofMinutes(1)).status()));
        spoilt.values().forEach(id -> assertThat(ended.remove(id)).isEqualTo(SagaStatus.FAILED));
        assertThat(ended)
                .hasSize(100)
                .allSatisfy((id, status) -> assertThat(status).isEqualTo(SagaStatus.COMPLETED));
        assertThat(admin.list(new ListQuery(null, TYPE.name(), null, null, null, null, null, 200)))
                .extracting(InstanceSummary::sagaId)
                .containsAll(ids);
        spoilt.forEach((column, id) -> {
            assertThat(admin.summary(id).orElseThrow().reason()).isEqualTo(SagaReason.UNREADABLE);
            InstanceRow row = admin.find(id).orElseThrow().row();
            List<HistoryRow> history = node.store().history(id);
            HistoryEntry parked = history.get(history.size() - 1).entry();
            assertThat(parked.outcome()).isEqualTo(Outcome.PARKED);
            assertThat(parked.errorText()).isNotBlank();
            assertThat(
                            switch (column) {
                                case "input" -> row.input();
                                case "steps" -> row.steps();
                                default -> history.get(0).entry().result();
                            })
                    .isEqualTo("garbage <");
        });
    }

    /** Started, and their node is gone before it has called a step. */
    private static List<UUID> left(Nodes nodes, int count) {
        Node dead = nodes.dying(Duration.ofMinutes(5), DEFINITION);
        List<UUID> ids = IntStream.range(0, count)
                .mapToObj(i -> dead.client().start(TYPE, "input " + i).sagaId())
                .toList();
        dead.kill();
        return ids;
    }
}
