package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.SagaType;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.AuditQuery;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Operators and rows that a newer version wrote: nothing of it is overwritten by what this version takes it for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnknownWordsAdminIT {
    private static final SagaType<String> TYPE = SagaType.named("waits", String.class);
    private static final AdminRequest ANN = AdminRequest.by("ann", "because");

    private record Node(UnknownWordsIT.Database database, SagaEngine engine, SagaAdmin admin) {
        static Node on(UnknownWordsIT.Database database) {
            SagaEngine engine = SagaEngine.builder()
                    .store(database.sagas().store)
                    .transactions(database.transactions())
                    .tuning(Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofMillis(20)))
                    .build();
            engine.register(Saga.define(TYPE)
                    .step("one")
                    .action(c -> {
                        throw new IOException("away");
                    })
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofHours(2)).maxAttempts(3))
                    .build());
            engine.start();
            return new Node(database, engine, SagaAdmin.of(engine));
        }

        /** This version could do everything with it, but for what is set. */
        UUID waiting(String assignments) {
            UUID id = engine.client().start(TYPE, "x").sagaId();
            Awaitility.await().until(() -> database.row(id).owner() == null);
            database.set(id, assignments);
            return id;
        }

        SagaDetail detail(UUID id) {
            return admin.find(id).orElseThrow();
        }

        @Override
        public String toString() {
            return database.toString();
        }
    }

    private final List<Node> nodes = UnknownWordsIT.all().stream().map(Node::on).toList();

    @AfterAll
    void close() {
        nodes.forEach(node -> {
            node.engine.close();
            node.database.pool().close();
        });
    }

    private static void refused(Node node, UUID id, AdminAction action, String why) {
        String before = node.database.standing(id);
        for (AdminRequest request : List.of(ANN, ANN.forced())) {
            assertThat(catchThrowableOfType(SagaAdminException.class, () -> node.admin.act(action, id, request)))
                    .as(action.code())
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SAGA-ADMIN-004"))
                    .hasMessageContaining(why);
        }
        assertThat(node.database.standing(id)).isEqualTo(before);
        assertThat(node.admin.audit(new AuditQuery(id, null, null, 10))).isEmpty();
        assertThat(node.detail(id).mail()).isEmpty();
    }

    @ParameterizedTest // F100
    @FieldSource("nodes")
    void a_saga_with_an_unknown_status_may_have_ended_and_no_operator_writes_over_it(Node node) {
        UUID id = node.waiting("status = 'ARCHIVED', due_at = null");

        for (AdminAction action : AdminAction.values()) {
            refused(node, id, action, "this node does not know its status \"ARCHIVED\"");
        }

        assertThat(node.detail(id).allowed()).isEmpty();
        assertThat(node.detail(id).why()).contains("does not know its status \"ARCHIVED\"");
    }

    @ParameterizedTest // F100
    @FieldSource("nodes")
    void a_saga_that_is_parked_for_an_unknown_reason_can_only_be_ended_by_hand(Node node) {
        UUID id = node.waiting("status = 'FAILED', reason = 'MOON', due_at = null");

        Stream.of(AdminAction.values())
                .filter(action -> action != AdminAction.FORCE_COMPLETE)
                .forEach(action -> refused(node, id, action, "this node does not know its reason \"MOON\""));
        assertThat(node.detail(id).allowed()).containsExactly(AdminAction.FORCE_COMPLETE);
        assertThat(node.detail(id).why()).contains("does not know its reason \"MOON\"");

        assertThat(node.admin.forceComplete(id, ANN).after()).isEqualTo("FORCE_COMPLETED");
        assertThat(node.database.standing(id)).startsWith("FORCE_COMPLETED null ");
    }

    @ParameterizedTest // F100
    @FieldSource("nodes")
    void a_wish_for_a_saga_that_goes_on_for_an_unknown_reason_waits_for_who_knows_it(Node node) {
        UUID id = node.waiting("reason = 'MOON'");

        refused(node, id, AdminAction.RETRY, "this node does not know its reason \"MOON\"");
        assertThat(node.admin.cancel(id, ANN).pending()).isTrue();

        assertThat(node.detail(id).mail()).hasSize(1);
        assertThat(node.detail(id).why()).contains("does not know its reason \"MOON\"", "Mail waits for it");
        assertThat(node.database.standing(id)).startsWith("RUNNING MOON 1.1 null 2");
    }
}
