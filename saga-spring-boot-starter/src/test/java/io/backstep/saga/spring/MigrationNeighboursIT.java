package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPgBouncer;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Our tables beside other migrations, made by many, or by somebody else; on PostgreSQL. */
class MigrationNeighboursIT {
    private final TestPostgres.Db database = TestPostgres.fresh();

    private static ApplicationContextRunner on(TestPostgres.Db database) {
        return on(database, database.user(), database.password());
    }

    private static ApplicationContextRunner on(TestPostgres.Db database, String user, String password) {
        return new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withPropertyValues(
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + user,
                        "spring.datasource.password=" + password,
                        "spring.datasource.hikari.maximum-pool-size=5",
                        "spring.datasource.hikari.minimum-idle=0",
                        "saga.poll-interval=20ms");
    }

    private static ApplicationContextRunner withSagas(ApplicationContextRunner application) {
        return application.withConfiguration(Contexts.ours()).withUserConfiguration(Contexts.OneDefinition.class);
    }

    // F066
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.flyway.baseline-on-migrate=true",
                "spring.flyway.out-of-order=false",
                "spring.flyway.validate-on-migrate=true"
            })
    void flyway_of_the_application_stays_valid_when_the_starter_comes_and_goes(String setting) {
        ApplicationContextRunner flyway = on(database)
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.flyway.locations=classpath:db/app", setting);
        if (setting.contains("baseline")) {
            execute("create table older (id int)"); // the schema was there before Flyway
        }

        comesAndGoes(flyway, flyway.withPropertyValues("spring.flyway.locations=classpath:db/app,classpath:db/later"));

        assertThat(strings("select version from flyway_schema_history where success and type = 'SQL' order by 1"))
                .isEqualTo(setting.contains("baseline") ? List.of("2") : List.of("1", "2"));
    }

    // F066
    @Test
    void liquibase_of_the_application_stays_valid_when_the_starter_comes_and_goes() {
        ApplicationContextRunner liquibase = on(database)
                .withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues(
                        "spring.liquibase.change-log=classpath:db/liquibase/changes.sql",
                        "spring.liquibase.contexts=now");

        comesAndGoes(liquibase, liquibase.withPropertyValues("spring.liquibase.contexts=later"));

        assertThat(strings("select id from databasechangelog order by orderexecuted"))
                .containsExactly("1", "2");
    }

    /** Without, with, without but with a later script, and with again. */
    private void comesAndGoes(ApplicationContextRunner application, ApplicationContextRunner later) {
        application.run(context -> assertThat(context).hasNotFailed());
        withSagas(application).run(Contexts::assertThatSagasRun);
        application.run(context -> assertThat(context).hasNotFailed());
        later.run(context -> assertThat(context).hasNotFailed());
        withSagas(later).run(Contexts::assertThatSagasRun);

        assertThat(strings("select version from saga_schema_history where version <> '0' and success"))
                .containsExactly("1");
    }

    // F052
    @Test
    void five_nodes_that_start_at_once_on_an_empty_database_all_come_up() throws Exception {
        List<Callable<Void>> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(() -> {
                withSagas(on(database)).run(Contexts::assertThatSagasRun);
                return null;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            for (Future<Void> node : threads.invokeAll(nodes)) {
                node.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(strings("select version from saga_schema_history where version <> '0'"))
                .containsExactly("1");
    }

    // F073
    @Test
    void a_user_who_may_not_make_tables_runs_sagas_on_tables_that_are_there() {
        String user = "dml_" + ProcessHandle.current().pid();
        execute("drop role if exists " + user, "create role " + user + " login password 'x'");
        execute("revoke create on schema public from public");
        ApplicationContextRunner restricted =
                withSagas(on(database, user, "x").withPropertyValues("saga.schema.migrate=false"));
        try {
            restricted.run(context -> assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContainingAll("SAGA-CFG-003", "no version", "needed is 1", "SagaSchema.ddl"));
            withSagas(on(database)).run(Contexts::assertThatSagasRun);
            execute("grant select, insert, update, delete on all tables in schema public to " + user);

            restricted.run(Contexts::assertThatSagasRun);
            withSagas(on(database, user, "x")).run(Contexts::assertThatSagasRun); // current: nothing to migrate
        } finally {
            execute("drop owned by " + user, "drop role " + user);
        }
    }

    // F047, F058
    @Test
    void sagas_start_together_on_a_pool_that_is_serializable_and_without_autocommit() {
        withSagas(on(database))
                .withPropertyValues(
                        "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE",
                        "spring.datasource.hikari.auto-commit=false")
                .run(MigrationNeighboursIT::fiftyRun);
    }

    // F035
    @Test
    @EnabledIf(
            value = "io.backstep.saga.testsupport.TestPgBouncer#isThere",
            disabledReason = "pgbouncer is not installed; with CI set this fails")
    void a_pooler_in_transaction_mode_is_enough() {
        withSagas(on(TestPgBouncer.before(database))).run(MigrationNeighboursIT::fiftyRun);
    }

    private static void fiftyRun(ApplicationContext context) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try {
            List<Callable<Void>> starts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                starts.add(() -> {
                    Contexts.assertThatSagasRun(context);
                    return null;
                });
            }
            for (Future<Void> start : threads.invokeAll(starts)) {
                start.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void execute(String... statements) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> strings(String query) {
        return new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), database.password()))
                .queryForList(query, String.class);
    }
}
