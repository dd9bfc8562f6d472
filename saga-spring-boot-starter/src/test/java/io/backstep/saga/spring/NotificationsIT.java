package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;

/** Who listens to other nodes, and on whose connection. */
class NotificationsIT {
    private static final TestPostgres.Db DATABASE = TestPostgres.fresh();
    private static final String LISTENING = """
            select count(*) from pg_stat_activity
              where datname = current_database() and query like 'listen "public.saga_hint"%' and application_name = ?
            """;

    private final PGSimpleDataSource watching = direct("watching");

    private final ApplicationContextRunner onPostgres = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(Contexts.ours())
            .withUserConfiguration(Contexts.OneDefinition.class)
            .withPropertyValues(
                    "spring.datasource.url=" + DATABASE.url(),
                    "spring.datasource.username=" + DATABASE.user(),
                    "spring.datasource.password=" + DATABASE.password(),
                    "spring.datasource.hikari.data-source-properties.ApplicationName=pool");

    private static PGSimpleDataSource direct(String name) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setUrl(DATABASE.url());
        direct.setUser(DATABASE.user());
        direct.setPassword(DATABASE.password());
        direct.setApplicationName(name);
        return direct;
    }

    private int listening(String name) {
        Integer count = new JdbcTemplate(watching).queryForObject(LISTENING, Integer.class, name);
        return count == null ? 0 : count;
    }

    private void awaitListening(String name, int count) {
        await().atMost(Duration.ofMinutes(1)).until(() -> listening(name) == count);
    }

    @Test
    void nobody_listens_unless_it_is_switched_on() {
        onPostgres.run(context -> {
            Contexts.assertThatSagasRun(context);
            assertThat(listening("pool")).isZero();
        });
    }

    @Test
    void a_node_listens_on_a_connection_of_its_pool_until_it_is_closed() {
        onPostgres.withPropertyValues("saga.notifications.enabled=true").run(context -> {
            awaitListening("pool", 1);
            Contexts.assertThatSagasRun(context);
        });
        awaitListening("pool", 0);
    }

    @Test
    void a_node_listens_on_a_connection_of_the_data_source_that_is_named() {
        onPostgres
                .withUserConfiguration(Direct.class)
                .withPropertyValues("saga.notifications.enabled=true", "saga.notifications.datasource=listening")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    awaitListening("direct", 1);
                    assertThat(listening("sagas")).isZero();
                    Contexts.assertThatSagasRun(context);
                });
    }

    @Test
    void a_name_of_no_data_source_and_a_database_without_notifications_are_refused() {
        Contexts.onH2()
                .withPropertyValues("saga.notifications.enabled=true", "saga.notifications.datasource=nobody")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("SAGA-CFG-001: saga.notifications.datasource is \"nobody\""));
        Contexts.onH2()
                .withPropertyValues("saga.notifications.enabled=true")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("SAGA-CFG-020"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Direct {
        @Bean
        @Primary
        DataSource sagas() {
            return direct("sagas");
        }

        @Bean
        DataSource listening() {
            return direct("direct");
        }
    }
}
