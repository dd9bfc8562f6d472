package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** The proxy does what it is told to a real PostgreSQL: what other tests conclude from it rests on that. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommitProxyIT {
    private final TestPostgres.Db direct = TestPostgres.fresh();
    private CommitProxy proxy;
    private TestDatabase database;

    @BeforeAll
    void create() throws SQLException {
        try (Connection connection = direct.connect()) {
            TestDatabase.execute(connection, "create table line (id int)");
        }
    }

    @BeforeEach
    void start() throws IOException {
        proxy = CommitProxy.before(direct);
        TestPostgres.Db through = proxy.through(direct);
        database = new TestDatabase(through.url(), through.user(), through.password());
    }

    @AfterEach
    void clear() throws Exception {
        proxy.close();
        try (Connection connection = direct.connect()) {
            TestDatabase.execute(connection, "truncate line");
        }
    }

    @AfterAll
    void nothingIsLeft() throws SQLException {
        try (Connection connection = direct.connect()) {
            TestDatabase.execute(connection, "drop table line");
        }
    }

    /** COMMIT as a simple query, as an unnamed statement, and prepared under a name. */
    @ParameterizedTest
    @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=1"})
    void a_cut_before_the_commit_is_not_applied_and_one_after_is_and_the_client_sees_the_same(String properties)
            throws Exception {
        TestDatabase client = database.with(properties);

        SQLException before = lostCommit(client, Cut.BEFORE_COMMIT, 1);
        assertThat(lines()).isEmpty();
        SQLException after = lostCommit(client, Cut.AFTER_COMMIT, 2);
        assertThat(lines()).containsExactly("2");

        assertThat(after.getSQLState()).isEqualTo(before.getSQLState()).startsWith("08");
        assertThat(after.getMessage()).isEqualTo(before.getMessage());
        assertThat(proxy.counts()).isEqualTo(new CommitProxy.Counts(2, 4, 1, 1, 0, 0));
    }

    /** After a commit that passes, so that a named statement is known already. */
    private static SQLException lostCommit(TestDatabase client, Cut cut, int id, CommitProxy through) throws Exception {
        try (Connection connection = client.connect()) {
            connection.setAutoCommit(false);
            TestDatabase.execute(connection, "delete from line where id < 0");
            through.next(Cut.NONE);
            connection.commit();
            TestDatabase.execute(connection, "insert into line values (" + id + ")");
            through.next(cut);
            return catchThrowableOfType(SQLException.class, connection::commit);
        }
    }

    private SQLException lostCommit(TestDatabase client, Cut cut, int id) throws Exception {
        return lostCommit(client, cut, id, proxy);
    }

    @Test
    void a_plan_for_one_connection_harms_no_other() throws Exception {
        try (Connection planned = database.connect();
                Connection other = database.connect()) {
            proxy.next(planned.unwrap(PGConnection.class).getBackendPID(), Cut.BEFORE_COMMIT);
            for (Connection connection : List.of(planned, other)) {
                connection.setAutoCommit(false);
                TestDatabase.execute(connection, "insert into line values (?)", connection == planned ? 1 : 2);
            }
            other.commit();
            assertThatThrownBy(planned::commit).isInstanceOf(SQLException.class);
        }
        assertThat(lines()).containsExactly("2");
    }

    @Test
    void a_refused_commit_is_no_applied_one() throws Exception {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            TestDatabase.execute(connection, "insert into line values (1)");
            catchThrowableOfType(SQLException.class, () -> TestDatabase.execute(connection, "select nothing"));
            proxy.next(Cut.AFTER_COMMIT);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(lines()).isEmpty();
    }

    @Test
    void random_cuts_come_in_the_order_of_their_seed() throws Exception {
        proxy.cutByRate(0.5, 0.5, 42);
        for (int i = 0; i < 20; i++) {
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                TestDatabase.execute(connection, "insert into line values (" + i + ")");
                assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            }
        }
        CommitProxy.Counts counts = proxy.counts();
        assertThat(counts.cutBefore() + counts.cutAfter()).isEqualTo(20);
        assertThat(counts.cutBefore()).isPositive();
        assertThat(lines()).hasSize((int) counts.cutAfter()).isNotEmpty();
    }

    @Test
    void it_cuts_all_and_refuses_and_goes_on() throws Exception {
        try (Connection connection = database.connect()) {
            assertThat(proxy.cutAll()).isEqualTo(1);
            assertThat(connection.isValid(10)).isFalse();
        }
        proxy.refuse(true);
        assertThat(catchThrowableOfType(SQLException.class, database::connect).getSQLState())
                .startsWith("08");
        proxy.refuse(false);
        try (Connection connection = database.connect()) {
            assertThat(connection.isValid(10)).isTrue();
        }
        assertThat(proxy.counts().refused()).isPositive();
    }

    @Test
    void in_silence_nothing_passes_and_afterwards_everything_does() throws Exception {
        try (Connection connection = database.connect()) {
            proxy.silence(true);
            CompletableFuture<Integer> waits = CompletableFuture.supplyAsync(() -> {
                try {
                    return TestDatabase.execute(connection, "insert into line values (1)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            SQLException noAnswer = catchThrowableOfType(SQLException.class, database.with("socketTimeout=1")::connect);
            assertThat(noAnswer.getSQLState()).startsWith("08");
            assertThat(waits).isNotDone();
            proxy.silence(false);
            await().until(waits::isDone);
            assertThat(waits).isCompletedWithValue(1);
        }
    }

    @Test
    void a_client_that_ends_in_order_ends_at_the_server() throws Exception {
        String mine = "select pid from pg_stat_activity where application_name = 'ends-in-order'";
        try (Connection connection =
                        database.with("ApplicationName=ends-in-order").connect();
                Connection other = direct.connect()) {
            assertThat(TestDatabase.strings(other, mine)).hasSize(1);
            connection.close();
            await().until(() -> TestDatabase.strings(other, mine).isEmpty());
        }
    }

    private List<String> lines() throws SQLException {
        try (Connection connection = direct.connect()) {
            return TestDatabase.strings(connection, "select id from line order by id");
        }
    }
}
