package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A server for tests that harm it: what it acknowledged is there after a crash, and nothing else is. */
class PostgresServerIT {
    @Test
    void after_a_crash_what_was_committed_is_there_and_what_was_open_is_not() throws Exception {
        try (PostgresServer server = PostgresServer.start(Map.of("log_min_messages", "info"))) {
            assertThat(server.setting("fsync")).isEqualTo("on");
            assertThat(server.setting("synchronous_commit")).isEqualTo("on");
            TestPostgres.Db db = server.fresh();
            try (Connection connection = db.connect();
                    Connection open = db.connect()) {
                TestDatabase.execute(connection, "create table line (id int)");
                open.setAutoCommit(false);
                TestDatabase.execute(connection, "insert into line values (1)");
                TestDatabase.execute(open, "insert into line values (2)");
                server.crash();
                assertThat(server.isUp()).isFalse();
                assertThat(connection.isValid(10)).isFalse();
            }
            server.start();
            try (Connection connection = db.connect()) {
                assertThat(TestDatabase.strings(connection, "select id from line"))
                        .containsExactly("1");
                assertThat(server.killBackend()).isTrue();
                assertThat(connection.isValid(10)).isFalse();
            }
            server.change(Map.of("default_transaction_read_only", "on"));
            server.stop();
            server.start();
            assertThat(server.setting("default_transaction_read_only")).isEqualTo("on");
        }
    }

    @Test
    void a_full_disk_refuses_what_needs_space_until_there_is_some() throws Exception {
        assumeThat(System.getProperty("user.name")).as("may mount a disk").isEqualTo("root");
        try (PostgresServer server = PostgresServer.startOnSmallDisk(120, Map.of())) {
            try (Connection connection = server.fresh().connect()) {
                TestDatabase.execute(connection, "create table line (text text)");
                server.fillDisk();
                String large = "insert into line select repeat(md5(i::text), 30) from generate_series(1, 2000) i";
                SQLException full =
                        catchThrowableOfType(SQLException.class, () -> TestDatabase.execute(connection, large));
                assertThat(full.getSQLState()).isEqualTo("53100");
                server.freeDisk();
                assertThat(TestDatabase.execute(connection, large)).isEqualTo(2000);
            }
        }
    }
}
