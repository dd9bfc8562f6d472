package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications whose database is away when they start: a PostgreSQL that is stopped, and comes back on the same port. */
@ExtendWith(OutputCaptureExtension.class)
class StartWithoutDatabaseIT {
    private static final String PATIENT = "saga.start-without-database=true";

    /** The pool starts without a connection, too, and whoever asks it waits. */
    private static final String[] POOL_WAITS = {
        PATIENT,
        "spring.datasource.hikari.initialization-fail-timeout=-1",
        "spring.datasource.hikari.connection-timeout=1000"
    };

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String WARNING = "SAGA-DB-002";
    private static final String ALL_CLEAR = "the database answers, after";

    private static final ListQuery ALL = new ListQuery(null, null, null, null, null, null, null, null, 10);

    private static PostgresServer server;
    private TestPostgres.Db database;

    @BeforeAll
    static void startServer() throws IOException {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void endServer() {
        server.close();
    }

    @BeforeEach
    void freshDatabase() throws IOException {
        server.start();
        database = server.fresh();
    }

    // G21
    @Test
    void an_application_starts_without_its_database_and_runs_sagas_when_it_answers(CapturedOutput output)
            throws Exception {
        server.stop();
        try (ConfigurableApplicationContext context = Applications.run(database, Application.class, PATIENT)) {
            assertThatSagasWait(context);
            assertThat(health(context).getDetails().get("lastStoreFailure").toString())
                    .startsWith("SAGA-CFG-014: the database does not answer: ");
            assertThat(health(context).getDetails()).containsEntry("storeReachable", false);

            server.start();
            awaitUp(context);
            Contexts.assertThatSagasRun(context);
        }
        assertThat(count(output, WARNING)).isOne();
        assertThat(count(output, ALL_CLEAR)).isOne();
    }

    // G21
    @Test
    void by_default_an_application_does_not_start_without_its_database() throws Exception {
        server.stop();

        assertThatThrownBy(() -> Applications.run(database, Application.class).close())
                .hasStackTraceContaining("SAGA-CFG-014: the database does not answer: ");
    }

    @Test
    void a_pool_of_one_connection_waits_too() throws Exception {
        SagaSchema.migrate(source());
        server.stop();
        try (ConfigurableApplicationContext context = Applications.run(
                database, Application.class, PATIENT, "spring.datasource.hikari.maximum-pool-size=1")) {
            assertThatSagasWait(context);

            server.start();
            awaitUp(context);
            Contexts.assertThatSagasRun(context);
        }
    }

    @Test
    void a_login_that_is_refused_ends_the_start_all_the_same() {
        TestPostgres.Db stranger = new TestPostgres.Db(database.url(), "stranger", "secret");

        assertThatThrownBy(() ->
                        Applications.run(stranger, Application.class, PATIENT).close())
                .hasStackTraceContaining("SAGA-CFG-014: the database refuses the login");
    }

    @Test
    void an_application_that_waits_closes_at_once_and_leaves_no_thread(CapturedOutput output) throws Exception {
        server.stop();
        ConfigurableApplicationContext context = Applications.run(database, Application.class, POOL_WAITS);
        assertThat(waiting()).isTrue();

        context.close();

        assertThat(waiting()).isFalse();
        server.start();
        assertThat(tables()).isZero();
        assertThat(output.getAll()).doesNotContain(ALL_CLEAR, "ERROR", "Exception");
    }

    @Test
    void tables_that_are_too_old_are_told_when_the_database_is_back_and_looked_at_again(CapturedOutput output)
            throws Exception {
        SagaSchema.migrate(source());
        run("update saga_schema_history set version = '0.5' where version = '1'");
        server.stop();
        String old = "ERROR.*SAGA-CFG-003: the tables saga_\\.\\.\\. have version 0\\.5, needed is 1";
        try (ConfigurableApplicationContext context =
                Applications.run(database, Application.class, PATIENT, "saga.schema.migrate=false")) {
            server.start();
            await().atMost(LONG)
                    .until(() -> health(context).getDetails().toString().contains("SAGA-CFG-003: the tables saga_"));
            assertThatSagasWait(context);
            assertThat(health(context).getDetails()).containsEntry("storeReachable", true);
            assertThat(count(output, old)).isOne();

            run("update saga_schema_history set version = '1' where version = '0.5'");
            awaitUp(context);
            Contexts.assertThatSagasRun(context);
        }
        assertThat(count(output, WARNING)).isOne();
        assertThat(count(output, old)).isOne();
        assertThat(count(output, ALL_CLEAR)).isOne();
    }

    private static void assertThatSagasWait(ConfigurableApplicationContext context) {
        assertThat(context.isActive()).isTrue();
        SagaClient sagas = context.getBean(SagaClient.class);
        assertThatThrownBy(() -> sagas.start(Trip.TYPE, Trip.of(Trip.Ending.COMPLETES)))
                .isInstanceOfSatisfying(SagaStoreException.class, refused -> {
                    assertThat(refused.code()).isEqualTo("SAGA-DB-015");
                    assertThat(refused.effect()).isEqualTo(Effect.NONE);
                });
        assertThatThrownBy(() -> sagas.find(UUID.randomUUID())).isInstanceOf(SagaStoreException.class);
        assertThatThrownBy(() -> context.getBean(SagaAdmin.class).list(ALL)).isInstanceOf(SagaStoreException.class);
        assertThat(context.getBean(SagaStore.class)).asString().isNotEmpty();
        assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
        assertThat(context.getBean(SagaEngine.class).status().running()).isFalse();
    }

    private static Health health(ConfigurableApplicationContext context) {
        return context.getBean("sagaHealthIndicator", HealthIndicator.class).health();
    }

    private static void awaitUp(ConfigurableApplicationContext context) {
        await().atMost(LONG).until(() -> health(context).getStatus().equals(Status.UP));
    }

    private static boolean waiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("saga-first-contact"));
    }

    private static long count(CapturedOutput output, String pattern) {
        return Pattern.compile(pattern).matcher(output.getAll()).results().count();
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        source.setUser(database.user());
        return source;
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private int tables() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select count(*) from information_schema.tables where table_name like 'saga%'")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SagaDefinition<Trip> trip() {
            return Trip.definition();
        }
    }
}
