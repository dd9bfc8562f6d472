package io.backstep.saga.spring;

import static io.backstep.saga.spring.Contexts.assertThatSagasRun;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Alert;
import io.backstep.saga.AlertListener;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.TransactionManager;
import tools.jackson.databind.ObjectMapper;

class SagaAutoConfigurationTest {
    private final ApplicationContextRunner application = Contexts.onH2();

    @Test
    void sagas_of_a_definition_bean_run() {
        application.run(Contexts::assertThatSagasRun);
    }

    @Test
    void nothing_is_there_when_it_is_switched_off() {
        application
                .withPropertyValues("saga.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(SagaClient.class)
                        .doesNotHaveBean(SagaSettings.class));
    }

    @Test
    void a_property_that_is_not_ours_keeps_the_application_from_starting() {
        application
                .withPropertyValues("saga.batchsise=5")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseMessage(
                                "SAGA-CFG-007: saga.batchsise is unknown; the nearest is saga.batch-size"));
    }

    @Test
    void two_versions_of_a_definition_are_beans() {
        application.withUserConfiguration(SecondVersion.class).run(context -> {
            SagaInstance saga = Contexts.run(context, Trip.Ending.COMPLETES);
            assertThat(saga.version()).isEqualTo(2);
            assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        });
    }

    @Test // D3
    void two_definitions_of_one_version_are_refused_with_the_names_of_their_beans() {
        application
                .withUserConfiguration(SameVersion.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(SagaDefinitionException.class)
                        .hasMessageStartingWith("SAGA-DSL-003: the beans ")
                        .hasMessageContainingAll("trip", "sameTrip", "are both trip v1"));
    }

    @Test
    void a_service_is_participant_and_starter_at_once() {
        new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(Agency.class, AgencyConfiguration.class)
                .withPropertyValues("spring.datasource.url=" + Contexts.h2())
                .run(context -> {
                    Agency agency = context.getBean(Agency.class);
                    SagaInstance saga = agency.travel();
                    assertThat(context.getBean(SagaClient.class)
                                    .await(saga.sagaId(), Duration.ofSeconds(20))
                                    .status())
                            .isEqualTo(SagaStatus.COMPLETED);
                    assertThat(agency.booked).containsExactly(saga.sagaId().toString());
                });
    }

    @Test
    void listeners_are_told_and_may_need_the_client() {
        application.withUserConfiguration(Listeners.class).run(context -> {
            SagaInstance saga = Contexts.run(context, Trip.Ending.IS_REJECTED_AND_STUCK);
            assertThat(saga.status()).isEqualTo(SagaStatus.FAILED);
            Notes notes = context.getBean(Notes.class);
            assertThat(notes.taken.poll(20, TimeUnit.SECONDS)).isEqualTo("started trip");
            List<String> codes = Stream.of(
                            notes.alerts.poll(20, TimeUnit.SECONDS), notes.alerts.poll(20, TimeUnit.SECONDS))
                    .map(Alert::code)
                    .toList();
            assertThat(codes).containsExactlyInAnyOrder("SAGA-ALERT-001", "SAGA-ALERT-002");
        });
    }

    // F069
    @Test
    void lazy_initialization_stops_nothing() {
        application
                .withUserConfiguration(SecondVersion.class, Listeners.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    SagaEngine engine = context.getBean(SagaEngine.class);
                    assertThat(engine.status())
                            .extracting(EngineStatus::running)
                            .isEqualTo(true);
                    assertThat(engine.definitions()).hasSize(2);
                    assertThatSagasRun(context);
                    assertThat(context.getBean(Notes.class).taken.poll(20, TimeUnit.SECONDS))
                            .isEqualTo("started trip");
                });
    }

    // F070
    @Test
    void nothing_is_added_that_others_would_find() {
        ApplicationContextRunner without = new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class,
                        TaskSchedulingAutoConfiguration.class,
                        JacksonAutoConfiguration.class))
                .withUserConfiguration(Busy.class)
                .withPropertyValues("spring.datasource.url=" + Contexts.h2());
        List<List<String>> seen = new ArrayList<>();

        without.run(context -> seen.add(shared(context)));
        without.withConfiguration(Contexts.ours()).run(context -> seen.add(shared(context)));

        assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains("taskScheduler", "dataSource", "transactionManager");
    }

    private static List<String> shared(ApplicationContext context) {
        return Stream.of(
                        TaskScheduler.class,
                        Executor.class,
                        ObjectMapper.class,
                        DataSource.class,
                        TransactionManager.class,
                        Flyway.class,
                        SagaListener.class,
                        AlertListener.class)
                .flatMap(type -> Stream.of(context.getBeanNamesForType(type)))
                .toList();
    }

    @Test
    void a_store_and_transactions_of_the_application_need_no_data_source() {
        new ApplicationContextRunner()
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(Contexts.OneDefinition.class, InMemory.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(SagaStore.class).hasSingleBean(Transactions.class);
                    assertThatSagasRun(context);
                });
    }

    @Test
    void a_store_of_the_application_replaces_ours_and_its_tables() {
        application.withUserConfiguration(InMemory.class).run(context -> {
            assertThat(context)
                    .hasSingleBean(SagaStore.class)
                    .doesNotHaveBean(SagaSchemaInitializer.class)
                    .doesNotHaveBean(SpringTransactions.class);
            assertThatSagasRun(context);
        });
    }

    @Test
    void an_engine_and_a_client_of_the_application_replace_ours() {
        application.withUserConfiguration(OwnEngine.class).run(context -> {
            assertThat(context).hasSingleBean(SagaEngine.class).hasSingleBean(SagaClient.class);
            assertThat(context.getBean(SagaClient.class)).isSameAs(context.getBean("own"));
            assertThatSagasRun(context);
        });
    }

    @Test
    void a_start_before_the_context_is_up_is_refused() {
        application
                .withUserConfiguration(Hasty.class)
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageStartingWith("SAGA-START-006"));
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondVersion {
        @Bean
        SagaDefinition<Trip> secondTrip() {
            return Trip.definition(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SameVersion {
        @Bean
        SagaDefinition<Trip> sameTrip() {
            return Trip.definition();
        }
    }

    /** Starts the saga, and takes part in it. */
    static class Agency {
        final List<String> booked = new ArrayList<>();
        private final SagaClient sagas;

        Agency(SagaClient sagas) {
            this.sagas = sagas;
        }

        SagaInstance travel() {
            return sagas.start(Trip.TYPE, Trip.of(Trip.Ending.COMPLETES));
        }

        void book(String id) {
            booked.add(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AgencyConfiguration {
        @Bean
        SagaDefinition<Trip> trip(Agency agency) {
            return Saga.define(Trip.TYPE)
                    .step("book")
                    .action(c -> agency.book(c.sagaId().toString()))
                    .noCompensation("a test")
                    .build();
        }
    }

    static class Notes implements SagaListener, AlertListener {
        final BlockingQueue<String> taken = new LinkedBlockingQueue<>();
        final BlockingQueue<Alert> alerts = new LinkedBlockingQueue<>();

        Notes(SagaClient sagas) {
            assertThat(sagas).isNotNull();
        }

        @Override
        public void started(SagaInstance saga) {
            taken.add("started " + saga.name());
        }

        @Override
        public void onAlert(Alert alert) {
            alerts.add(alert);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        SagaListener broken() {
            return new SagaListener() {
                @Override
                public void started(SagaInstance saga) {
                    throw new IllegalStateException("broken");
                }
            };
        }

        @Bean
        Notes notes(SagaClient sagas) {
            return new Notes(sagas);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableScheduling
    static class Busy {}

    @Configuration(proxyBeanMethods = false)
    static class InMemory {
        @Bean
        InMemorySagaStore store() {
            return new InMemorySagaStore();
        }

        @Bean
        InMemoryTransactions transactions(InMemorySagaStore store) {
            return store.transactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {
        @Bean
        SagaEngine engine(SagaStore store, Transactions transactions) {
            return SagaEngine.builder().store(store).transactions(transactions).build();
        }

        @Bean
        SagaClient own(SagaEngine engine) {
            return engine.client();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hasty {
        @Bean
        SagaInstance tooEarly(SagaClient sagas) {
            return sagas.start(Trip.TYPE, Trip.of(Trip.Ending.COMPLETES));
        }
    }
}
