package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Contexts of our auto-configuration, and what to do with them. */
final class Contexts {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private Contexts() {}

    static AutoConfigurations ours() {
        return AutoConfigurations.of(
                SagaSwitchAutoConfiguration.class,
                SagaStoreAutoConfiguration.class,
                SagaAutoConfiguration.class,
                SagaOutboxAutoConfiguration.class,
                SagaMetricsAutoConfiguration.class,
                SagaHealthAutoConfiguration.class,
                SagaBackOffAutoConfiguration.class);
    }

    static AutoConfigurations jdbc() {
        return AutoConfigurations.of(
                DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class,
                TransactionAutoConfiguration.class,
                JdbcTemplateAutoConfiguration.class);
    }

    static String h2() {
        return "jdbc:h2:mem:context" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
    }

    /** An application with one H2 DataSource and one definition. */
    static ApplicationContextRunner onH2() {
        return new ApplicationContextRunner()
                .withConfiguration(jdbc())
                .withConfiguration(ours())
                .withUserConfiguration(OneDefinition.class)
                .withPropertyValues("spring.datasource.url=" + h2(), "saga.poll-interval=20ms");
    }

    static SagaInstance run(ApplicationContext context, Trip.Ending ending) {
        SagaClient sagas = context.getBean(SagaClient.class);
        SagaInstance started = sagas.start(Trip.TYPE, Trip.of(ending));
        return sagas.await(started.sagaId(), Duration.ofSeconds(20));
    }

    static void assertThatSagasRun(ApplicationContext context) {
        assertThat(run(context, Trip.Ending.COMPLETES).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Configuration(proxyBeanMethods = false)
    static class OneDefinition {
        @Bean
        SagaDefinition<Trip> trip() {
            return Trip.definition();
        }
    }
}
