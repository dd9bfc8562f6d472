package io.backstep.saga.spring;

import static io.backstep.saga.spring.Contexts.assertThatSagasRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.orm.jpa.JpaTransactionManager;

/** What is optional may be absent. */
class NeighboursTest {
    private final ApplicationContextRunner application = Contexts.onH2();

    @Test
    void without_micrometer_there_are_no_meters() { // C17
        application.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).doesNotHaveBean("sagaMetrics");
            assertThatSagasRun(context);
        });
    }

    @Test
    void without_a_registry_there_are_no_meters() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("sagaMetrics"));
    }

    @Test // C17
    void two_registries_both_have_the_meters() {
        SimpleMeterRegistry one = new SimpleMeterRegistry();
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        Contexts.onH2()
                .withBean("one", MeterRegistry.class, () -> one)
                .withBean("other", MeterRegistry.class, () -> other)
                .run(context -> {
                    Contexts.assertThatSagasRun(context);
                    assertThat(one.find("saga.started").counters()).isNotEmpty();
                    assertThat(other.find("saga.started").counters()).isNotEmpty();
                });
    }

    @Test // C17
    void a_filter_that_denies_every_meter_disturbs_nothing() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(MeterFilter.deny());
        Contexts.onH2().withBean(MeterRegistry.class, () -> registry).run(context -> {
            Contexts.assertThatSagasRun(context);
            assertThat(registry.getMeters()).isEmpty();
        });
    }

    @Test
    void meters_can_be_switched_off() {
        application
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("saga.metrics.enabled=false")
                .run(context -> assertThat(context.getBean(MeterRegistry.class).getMeters())
                        .isEmpty());
    }

    @Test
    void without_health_there_is_no_indicator() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> {
                    assertThat(context).doesNotHaveBean("sagaHealthIndicator");
                    assertThatSagasRun(context);
                });
    }

    @Test
    void without_spring_orm_the_transaction_manager_is_found() {
        application
                .withClassLoader(new FilteredClassLoader(JpaTransactionManager.class))
                .run(Contexts::assertThatSagasRun);
    }

    @Test
    void without_flyway_tables_that_are_there_are_used() {
        String url = "spring.datasource.url=" + Contexts.h2();
        application.withPropertyValues(url).run(Contexts::assertThatSagasRun);

        application
                .withPropertyValues(url)
                .withClassLoader(new FilteredClassLoader(Flyway.class))
                .run(Contexts::assertThatSagasRun);
    }

    // F073
    @Test
    void without_flyway_tables_that_are_not_there_are_asked_for() {
        application
                .withClassLoader(new FilteredClassLoader(Flyway.class))
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith("SAGA-CFG-003"));
    }

    // F073, F098
    @Test
    void tables_are_not_created_when_that_is_switched_off() {
        application
                .withPropertyValues("saga.schema.migrate=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("SAGA-CFG-003")
                        .hasMessageContainingAll("needed is 1", "saga.schema.migrate=true"));
    }

    @Test
    void a_bad_table_prefix_is_refused_with_the_other_faults() {
        application
                .withPropertyValues("saga.schema.table-prefix=x\"; drop table", "saga.batch-size=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-004", "SAGA-CFG-005"));
    }

    @Test
    void tables_have_the_prefix_that_is_set() {
        application.withPropertyValues("saga.schema.table-prefix=undo_").run(context -> {
            assertThatSagasRun(context);
            assertThat(new org.springframework.jdbc.core.JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("select count(*) from undo_instance", Integer.class))
                    .isEqualTo(1);
        });
    }

    @Test
    void health_is_up_while_the_engine_runs_and_down_when_it_stops() {
        application.run(context -> {
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("running", true)
                    .containsEntry("storeReachable", true)
                    .containsEntry("held", 0);

            context.getSourceApplicationContext().stop();

            assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
        });
    }

    @Test
    void health_is_down_when_the_store_is_out_of_reach() {
        application.run(context -> {
            context.getBean(HikariDataSource.class).close();

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(health(context).getStatus()).isEqualTo(Status.DOWN));
            assertThat(health(context).getDetails())
                    .containsEntry("storeReachable", false)
                    .containsKey("lastStoreFailure");
        });
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("sagaHealthIndicator", HealthIndicator.class).health();
    }
}
