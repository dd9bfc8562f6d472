package io.backstep.saga.jdbc.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills a JVM with SIGKILL before and after every write of an order saga, on PostgreSQL with synchronous commits, and lets another
 * node go on. Before the first write nothing exists; from then on the saga ends, with every effect once.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KillBetweenWritesIT {
    private static final int STOCK = 1000;

    private final TestPostgres.Db database = TestPostgres.fresh();
    private HikariDataSource dataSource;
    private OrderNode other;

    @BeforeAll
    void startTheOtherNode() throws SQLException {
        dataSource = OrderNode.dataSource(database);
        SagaSchema.migrate(dataSource);
        OrderParticipants.createTables(dataSource, STOCK);
        other = new OrderNode("other", database, Duration.ofSeconds(10), 0, store -> store);
    }

    @AfterAll
    void stop() {
        other.close();
        dataSource.close();
    }

    @ParameterizedTest(name = "declined: {0}")
    @ValueSource(booleans = {false, true}) // F023, F027
    void a_killed_saga_is_ended_by_another_node_with_every_effect_once(boolean declined) throws Exception {
        int killed = 0;
        boolean reached = true;
        for (int write = 1; reached; write++) {
            for (ForkedNode.Where where : ForkedNode.Where.values()) {
                reached = killAt(declined, write, where);
                killed += reached ? 1 : 0;
            }
        }
        // one write starts it, one records each of six steps: or of three steps and two compensations
        assertThat(killed).isEqualTo(2 * (declined ? 6 : 7));
        OrderChecks.everythingAddsUp(dataSource, STOCK);
    }

    private boolean killAt(boolean declined, int write, ForkedNode.Where where) throws Exception {
        Process fork = ForkedNode.fork(database, declined, write, where);
        boolean reached = waitFor(fork).equals("AT WRITE " + write);
        fork.destroyForcibly().waitFor();
        assertThat(fork.exitValue())
                .as("killed by SIGKILL, unless it had ended")
                .isIn(137, 0);
        endLeases();
        for (UUID saga : unended()) {
            SagaInstance end = other.engine.client().await(saga, Duration.ofMinutes(1));
            assertThat(end.status()).isEqualTo(declined ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
        }
        return reached;
    }

    /** As if the time of the dead node's lease had passed. */
    private void endLeases() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("update saga_instance set due_at = clock_timestamp() where owner like 'forked%'"
                    + " and status in ('RUNNING', 'COMPENSATING')");
        }
    }

    private static String waitFor(Process fork) throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(fork.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("AT WRITE") && !line.equals("ENDED")) {
                line = lines.readLine();
            }
            return String.valueOf(line);
        }
    }

    private List<UUID> unended() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            return OrderChecks.rows(
                            statement, "select saga_id from saga_instance where status in ('RUNNING', 'COMPENSATING')")
                    .stream()
                    .map(UUID::fromString)
                    .toList();
        }
    }
}
