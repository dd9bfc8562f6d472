package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Our tables next to the application's own migrations, in one schema of PostgreSQL. */
class MigrationIT {
    private final TestPostgres.Db database = TestPostgres.fresh();

    private final ApplicationContextRunner without = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=" + database.url(),
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.password=" + database.password(),
                    "spring.flyway.locations=classpath:db/app");

    private final ApplicationContextRunner with =
            without.withConfiguration(Contexts.ours()).withUserConfiguration(Contexts.OneDefinition.class);

    // F067
    @Test
    void the_application_migrates_an_empty_database_first() {
        with.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Flyway.class);
            assertThat(tables(context))
                    .contains("app_order", "flyway_schema_history", "saga_instance", "saga_schema_history");
            Contexts.assertThatSagasRun(context);
        });
    }

    // F066
    @Test
    void the_starter_is_added_taken_away_and_added_again() {
        without.run(context -> assertThat(tables(context)).containsExactly("app_order", "flyway_schema_history"));
        with.run(Contexts::assertThatSagasRun);
        without.run(context -> assertThat(context).hasNotFailed());
        with.run(Contexts::assertThatSagasRun);
    }

    @Test
    void tables_live_in_the_schema_that_is_named() {
        try (var connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute("create schema if not exists undo");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
        with.withPropertyValues("saga.schema.name=undo").run(context -> {
            Contexts.assertThatSagasRun(context);
            assertThat(tables(context)).containsExactly("app_order", "flyway_schema_history");
        });
    }

    private static List<String> tables(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList(
                        "select table_name from information_schema.tables where table_schema = 'public' order by 1",
                        String.class);
    }
}
