package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.PostgresServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real PostgreSQL that is away for a while, in every way there is: the engine waits and goes on, and nothing is lost. G21, F5. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseOutageIT extends OutageFixture {
    private PostgresServer server;

    @BeforeAll
    void serve() throws IOException {
        server = PostgresServer.start(Map.of());
        admin("postgres", "create role app login superuser password 'app'");
    }

    @AfterAll
    void end() {
        server.close();
    }

    @Override
    TestDatabase database() {
        return new TestDatabase(server.fresh().url(), "app", "app");
    }

    @ParameterizedTest // F5, F164, G21
    @ValueSource(longs = {1_000, 30_000})
    void a_database_that_crashes_and_comes_back(long connectionTimeout) throws Exception {
        start(connectionTimeout);
        List<UUID> ids = sagas();
        server.crash();
        open.countDown(); // what was called has an end now that cannot be recorded
        await().atMost(LONG).until(() -> !engine.status().storeReachable());
        if (connectionTimeout == 1_000) {
            await().atMost(LONG).until(() -> {
                SagaStoreException told = startInVain();
                return told.code().equals("SAGA-DB-015") && told.effect() == Effect.NONE;
            });
        }
        server.start();
        allEnd(ids);
    }

    @Test // G21
    void a_login_that_is_refused() {
        start(1_000);
        List<UUID> ids = sagas();
        admin("alter role app nologin");
        admin("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
        open.countDown();
        await().atMost(LONG)
                .until(() -> String.valueOf(engine.status().lastStoreFailure()).contains("SAGA-DB-004"));
        assertThat(startInVain().effect()).isEqualTo(Effect.NONE);
        admin("alter role app login");
        allEnd(ids);
    }

    @Test // G21
    void a_database_that_can_only_be_read_spends_no_attempts() throws Exception {
        start(1_000);
        List<UUID> ids = sagas();
        server.change(Map.of("default_transaction_read_only", "on"));
        await().atMost(LONG)
                .until(() -> server.setting("default_transaction_read_only").equals("on"));
        open.countDown();
        await().atMost(LONG)
                .until(() -> String.valueOf(engine.status().lastStoreFailure()).contains("read-only"));
        server.change(Map.of("default_transaction_read_only", "off"));
        allEnd(ids);
        assertThat(TestDatabase.strings(pool, "select attempt from saga_step_history where step = 'local'"))
                .hasSize(SAGAS)
                .containsOnly("1");
        assertThat(remote.get()).isEqualTo(SAGAS);
    }

    @Test // F19
    void a_table_that_is_missing_is_named_in_one_line() {
        start(1_000);
        List<UUID> ids = sagas();
        admin("alter table saga_instance rename to hidden");
        open.countDown();
        await().atMost(LONG)
                .until(() -> String.valueOf(engine.status().lastStoreFailure())
                        .contains(
                                "SAGA-DB-003: the database refused: ERROR: relation \"saga_instance\" does not exist"));
        assertThat(startInVain()).hasMessageContaining("SAGA-DB-0");
        admin("alter table hidden rename to saga_instance");
        allEnd(ids);
    }

    private void admin(String statement) {
        admin(database.url().replaceAll(".*/", ""), statement);
    }

    private void admin(String name, String statement) {
        try (var connection = server.database(name).connect();
                var plain = connection.createStatement()) {
            plain.execute(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
