package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.jdbc.Nodes.Node;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What becomes of inputs and results on each database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PayloadsIT {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Retry TWICE = Retry.fixed(Duration.ofMillis(1)).maxAttempts(2);

    private final List<Nodes> databases = Nodes.all();

    @AfterAll
    void close() throws Exception {
        for (Nodes nodes : databases) {
            nodes.close();
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (Nodes nodes : databases) {
            nodes.stopAll();
        }
    }

    /** Neither it nor what has it can be serialized as Java does. */
    static final class Plain {
        public String text = "plain";
    }

    record Order(Plain plain) {}

    record Receipt(Plain plain) {}

    @SuppressWarnings("serial")
    private static final class Odd extends RuntimeException {
        private final Plain plain = new Plain();

        @Override
        public String getMessage() {
            return "odd " + plain.text;
        }
    }

    private static final SagaType<Order> ORDER = SagaType.named("order", Order.class);
    private static final Step<Receipt> RECEIPT = Step.named("receipt", Receipt.class);

    @ParameterizedTest // F094
    @FieldSource("databases")
    void nothing_is_serialized_as_java_does_though_a_node_dies_and_all_fails(Nodes nodes) throws Exception {
        AtomicReference<Node> first = new AtomicReference<>();
        SagaDefinition<Order> definition = Saga.define(ORDER)
                .step(RECEIPT)
                .action(c -> new Receipt(c.input().plain()))
                .compensate((c, receipt) -> {
                    if (c.attempt() == 1) {
                        throw new Odd();
                    }
                    assertThat(receipt.orElseThrow().plain().text).isEqualTo("plain");
                })
                .compensationRetry(TWICE)
                .step("next")
                .action(c -> {
                    Node dies = first.getAndSet(null);
                    if (dies != null) {
                        dies.kill();
                        nodes.execute("update saga_instance set due_at = created_at");
                    }
                    throw new Odd();
                })
                .compensate(c -> {})
                .retry(TWICE)
                .build();
        Node node = nodes.node(definition);
        first.set(node);
        UUID id = node.client().start(ORDER, new Order(new Plain())).sagaId();

        SagaInstance saga = nodes.node(definition).client().await(id, LONG);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        List<String> cells = cells(nodes);
        assertThat(cells)
                .as("inputs, results, and errors are among them")
                .anyMatch(cell -> cell.startsWith("{\"plain\""))
                .anyMatch(cell -> cell.contains("odd plain"))
                .contains("TAKEN_OVER", "COMPENSATED");
        assertThat(cells)
                .noneMatch(cell -> cell.toLowerCase(Locale.ROOT).contains("aced0005")
                        || cell.contains("rO0")
                        || cell.contains("\u00ac\u00ed"));
    }

    /** All that the tables of sagas have; bytes in hexadecimal. */
    private static List<String> cells(Nodes nodes) throws SQLException {
        List<String> cells = new ArrayList<>();
        try (Connection connection = nodes.pool.getConnection()) {
            for (String table : tables(connection)) {
                try (var statement = connection.prepareStatement("select * from " + table);
                        ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                            cells.add(
                                    rows.getObject(i) instanceof byte[] bytes
                                            ? HexFormat.of().formatHex(bytes)
                                            : "" + rows.getString(i));
                        }
                    }
                }
            }
        }
        return cells;
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet all = connection
                .getMetaData()
                .getTables(connection.getCatalog(), null, null, new String[] {"TABLE", "BASE TABLE"})) {
            while (all.next()) {
                String name = all.getString("TABLE_NAME");
                if (name.toLowerCase(Locale.ROOT).matches("saga_(?!schema_history).*")) {
                    tables.add(name);
                }
            }
        }
        assertThat(tables).as("with the history, the compensations, and more").hasSizeGreaterThan(5);
        return tables;
    }

    @ParameterizedTest // D19
    @FieldSource("databases")
    void a_large_result_takes_its_transaction_back_and_parks_where_there_is_none(Nodes nodes) {
        SagaType<String> local = SagaType.named("local", String.class);
        SagaType<String> remote = SagaType.named("remote", String.class);
        Step<String> text = Step.named("text", String.class);
        Node node = nodes.notStarted(
                Nodes.QUICK,
                Saga.define(remote)
                        .step(text)
                        .action(c -> "x".repeat(5 << 20))
                        .noCompensation("a test")
                        .build());
        node.engine()
                .register(Saga.define(local)
                        .step(text)
                        .transactional()
                        .action(c -> {
                            TestDatabase.execute(
                                    node.transactions().connection(), "insert into business values ('large')");
                            return "x".repeat(5 << 20);
                        })
                        .noCompensation("a test")
                        .retry(TWICE)
                        .build());
        node.engine().start();

        SagaInstance taken = node.client().await(node.client().start(local, "x").sagaId(), LONG);
        SagaInstance parked =
                node.client().await(node.client().start(remote, "x").sagaId(), LONG);

        assertThat(nodes.count("select count(*) from business")).isZero();
        assertThat(taken.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(taken.reason()).isEqualTo(SagaReason.ATTEMPTS_EXHAUSTED);
        assertThat(parked.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(parked.reason()).isEqualTo(SagaReason.RESULT_TOO_LARGE);
        for (SagaInstance saga : List.of(taken, parked)) {
            assertThat(node.store().history(saga.sagaId()).get(0).entry().errorText())
                    .contains("SAGA-SER-003");
        }
    }
}
