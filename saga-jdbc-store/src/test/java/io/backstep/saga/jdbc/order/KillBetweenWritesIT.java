package io.backstep.saga.jdbc.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import org.junit.jupiter.api.Test;
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

    /** However slow the machine is: who kills a node ends its leases. */
    private static final Duration HOUR = Duration.ofHours(1);

    private final TestPostgres.Db database = TestPostgres.fresh();
    private HikariDataSource dataSource;
    private OrderNode other;

    @BeforeAll
    void startTheOtherNode() throws SQLException {
        dataSource = OrderNode.dataSource("test", database);
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
        Process fork = ForkedNode.fork(database, declined, write, where, HOUR);
        boolean reached = waitFor(fork).equals("AT WRITE " + write);
        fork.destroyForcibly().waitFor();
        assertThat(fork.exitValue())
                .as("killed by SIGKILL, unless it had ended")
                .isIn(137, 0);
        itsSessionsEnd();
        assertThat(query("select saga_id from saga_instance where status in ('RUNNING', 'COMPENSATING') and"
                        + " due_at is null"))
                .as("what nobody would ever take")
                .isEmpty();
        endLeases();
        for (UUID saga : unended()) {
            List<String> before = row(saga);
            SagaInstance end = other.engine.client().await(saga, Duration.ofMinutes(1));
            List<String> after = row(saga);
            assertThat(end.status())
                    .as(() -> "killed at write " + write + ", " + where + "; the row was " + before + ", and is "
                            + after + "; the other node: " + threads())
                    .isEqualTo(declined ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
        }
        return reached;
    }

    /** Goes on by the lease alone: nobody helps, and the row has said when. */
    @Test // F023, F029
    void a_node_killed_between_two_steps_holds_up_its_saga_no_longer_than_its_lease() throws Exception {
        Process fork = ForkedNode.fork(database, false, 3, ForkedNode.Where.AFTER, Duration.ofSeconds(5));
        assertThat(waitFor(fork)).isEqualTo("AT WRITE 3"); // the second step is recorded, the third is not called
        UUID saga = unended().get(0);
        String ofIt = " from saga_instance where saga_id = '" + saga + "'";
        assertThat(query("select due_at <= clock_timestamp() + interval '5 seconds'" + ofIt))
                .as("told by the row")
                .containsExactly("t");
        String lease = query("select due_at" + ofIt).get(0);
        fork.destroyForcibly().waitFor();

        assertThat(other.engine.client().await(saga, Duration.ofMinutes(1)).status())
                .isEqualTo(SagaStatus.COMPLETED);
        assertThat(query("select step, attempt, outcome, started_at >= '" + lease
                        + "' from saga_step_history where saga_id = '" + saga + "' order by seq, ordinal limit 4"))
                .containsExactly(
                        "create-order 1 SUCCEEDED f",
                        "reserve-inventory 1 SUCCEEDED f",
                        "process-payment 1 TAKEN_OVER t",
                        "process-payment 2 SUCCEEDED t");
    }

    /**
     * The server still carries out what a killed process has sent it. A claim of that kind, after its lease was ended, would make the saga
     * the dead node's for one lease more.
     */
    private void itsSessionsEnd() {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> query("select pid from pg_stat_activity where application_name = 'forked'"
                                + " and datname = current_database()")
                        .isEmpty());
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

    private List<String> row(UUID saga) throws SQLException {
        return query("select status, owner, epoch, seq, due_at, updated_at, clock_timestamp(), steps from saga_instance"
                + " where saga_id = '" + saga + "'");
    }

    /** What the threads of the other node do. */
    private static String threads() {
        StringBuilder told = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().startsWith("saga-other")) {
                told.append('\n').append(thread.getName()).append(' ').append(List.of(stack));
            }
        });
        return told.toString();
    }

    private List<UUID> unended() throws SQLException {
        return query("select saga_id from saga_instance where status in ('RUNNING', 'COMPENSATING')").stream()
                .map(UUID::fromString)
                .toList();
    }

    private List<String> query(String text) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            return OrderChecks.rows(statement, text);
        }
    }
}
