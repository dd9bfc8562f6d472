package io.backstep.saga.jdbc.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Two nodes on one PostgreSQL: 1,000 sagas, 30 % declined, 5 % of the replies lost. */
class TwoNodesIT {
    private static final int SAGAS = 1000;
    private static final int STOCK = 5000;

    @Test
    void nothing_is_recorded_twice_and_everything_adds_up() throws Exception {
        TestPostgres.Db database = TestPostgres.fresh();
        try (HikariDataSource dataSource = OrderNode.dataSource("test", database)) {
            SagaSchema.migrate(dataSource);
            OrderParticipants.createTables(dataSource, STOCK);
            try (OrderNode one = new OrderNode("one", database, Duration.ofSeconds(10), 0.05, store -> store);
                    OrderNode two = new OrderNode("two", database, Duration.ofSeconds(10), 0.05, store -> store)) {
                List<UUID> sagas = new ArrayList<>();
                for (int i = 0; i < SAGAS; i++) {
                    OrderNode node = i % 2 == 0 ? one : two;
                    OrderSaga.PlaceOrder order = new OrderSaga.PlaceOrder(1 + i % 3, 10, i % 10 < 3);
                    sagas.add(node.engine.client().start(OrderSaga.TYPE, order).sagaId());
                }
                for (int i = 0; i < SAGAS; i++) {
                    SagaInstance end = one.engine.client().await(sagas.get(i), Duration.ofMinutes(2));
                    assertThat(end.status()).isEqualTo(i % 10 < 3 ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
                }
            }
            OrderChecks.everythingAddsUp(dataSource, STOCK);
            lostRepliesHappened(dataSource);
        }
    }

    /** The test must have met what it is about. */
    private static void lostRepliesHappened(HikariDataSource dataSource) throws Exception {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            List<String> failed = OrderChecks.rows(
                    statement, "select saga_id from saga_step_history where outcome = 'FAILED' and phase = 'ACTION'");
            assertThat(failed).hasSizeGreaterThan(20);
        }
    }
}
