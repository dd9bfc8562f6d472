package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.jdbc.Nodes.Node;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** F010: rows that a hand has changed, and rows that cannot be deleted, stop neither the retention nor the node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RetentionIT {
    private static final SagaType<String> TYPE = SagaType.named("kept", String.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final RetentionPolicy POLICY =
            new RetentionPolicy(RetentionPolicy.keep(Duration.ofDays(1)).ages(), Duration.ofSeconds(1), 4);

    private final List<Nodes> databases = Nodes.all();

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    private static SagaDefinition<String> definition() {
        return Saga.define(TYPE)
                .step("one")
                .action(c -> {})
                .noCompensation("a test")
                .build();
    }

    private static UUID ended(Node node) {
        UUID id = node.client().start(TYPE, "in").sagaId();
        assertThat(node.client().await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        return id;
    }

    private static void set(Nodes on, UUID id, String assignments) {
        on.execute("update saga_instance set " + assignments + " where saga_id = ?", on.parameter(id));
    }

    private static boolean isThere(Node node, UUID id) {
        return node.store().find(id).isPresent();
    }

    @ParameterizedTest // F010
    @FieldSource("databases")
    void odd_rows_are_passed_over_and_all_else_goes_on(Nodes on) throws Exception {
        Node node = on.node(definition());
        List<UUID> ids = Stream.generate(() -> ended(node)).limit(12).toList();
        on.execute("update saga_instance set updated_at = timestamp '2001-01-01 00:00:00'");
        String due = "due_at = timestamp '2001-01-01 00:00:00'";
        assertThatThrownBy(() -> set(on, ids.get(2), due)).rootCause().message().containsIgnoringCase("instance_due");
        set(on, ids.get(2), "owner = 'by-hand', epoch = -7, steps = '?'");
        UUID halfDeleted = ids.get(5);
        on.execute("delete from saga_step_history where saga_id = ?", on.parameter(halfDeleted));
        UUID deleted = ids.get(6);
        on.execute("delete from saga_instance where saga_id = ?", on.parameter(deleted));
        UUID unknownWord = ids.get(8);
        set(on, unknownWord, "status = 'DELETED'");
        UUID referred = ids.get(1); // by a table of the application
        String type = on.product.equals("MariaDB") ? "binary(16)" : "uuid";
        on.execute("create table invoice (saga_id " + type + " not null,"
                + " foreign key (saga_id) references saga_instance (saga_id))");
        on.execute("insert into invoice values (?)", on.parameter(referred));

        String logged = Logged.during(() -> {
            try (SagaRetention retention = SagaRetention.of(node.engine(), POLICY)) {
                retention.start();
                await().atMost(LONG).until(() -> on.count("select count(*) from saga_instance") == 2);
                assertThat(isThere(node, ended(node))).as("the node goes on").isTrue();
                UUID next = ended(node);
                set(on, next, "updated_at = timestamp '2001-01-01 00:00:00'");
                await().atMost(LONG).until(() -> !isThere(node, next)); // one pass later
            }
            return null;
        });

        assertThat(isThere(node, referred)).isTrue();
        assertThat(isThere(node, unknownWord)).isTrue();
        assertThat(on.count("select count(*) from saga_step_history where saga_id = ?", on.parameter(referred)))
                .as("whole")
                .isPositive();
        assertThat(logged.lines().filter(line -> line.contains("SAGA-DB-014")))
                .as("logged once")
                .hasSize(1)
                .first()
                .asString()
                .contains(referred.toString());
    }
}
