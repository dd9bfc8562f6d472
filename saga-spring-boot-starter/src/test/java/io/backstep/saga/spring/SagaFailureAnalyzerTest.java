package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.engine.SagaClient;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@ExtendWith(OutputCaptureExtension.class)
class SagaFailureAnalyzerTest {
    private final SagaFailureAnalyzer analyzer = new SagaFailureAnalyzer();

    @Test
    void shows_what_we_refused() {
        var refused = new BeanCreationException("bean", new SagaConfigurationException("SAGA-CFG-005", "too much"));

        assertThat(analyzer.analyze(refused).getDescription()).isEqualTo("SAGA-CFG-005: too much");
    }

    @Test
    void leaves_other_failures_to_others() {
        assertThat(analyzer.analyze(new IllegalStateException("other"))).isNull();
        assertThat(analyzer.analyze(new SagaStartException("SAGA-START-006", "not yet")))
                .isNull();
    }

    @Test
    void a_refused_application_ends_with_the_message_and_no_stack_trace(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Empty.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        assertThat(catchThrowable(() -> application.run(
                        "--spring.datasource.url=" + Contexts.h2(),
                        "--spring.liquibase.enabled=false",
                        "--saga.lease=1s")))
                .isNotNull();

        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START", "SAGA-CFG-005: saga.lease is PT1S; allowed is PT2S to PT1H")
                .doesNotContain("at io.backstep.saga.spring.");
    }

    @Test
    void a_bean_that_wants_a_client_is_told_that_there_is_no_data_source(CapturedOutput output) {
        assertThat(failed("--spring.autoconfigure.exclude=" + DataSourceAutoConfiguration.class.getName()))
                .isNotNull();

        assertThat(output.getAll())
                .contains(
                        "APPLICATION FAILED TO START",
                        "SAGA-CFG-001: no sagas are run, so there is no SagaClient to inject: there is no DataSource bean")
                .doesNotContain("required a bean of type");
    }

    @Test
    void a_bean_that_wants_a_client_where_sagas_are_switched_off_is_told_what_spring_says(CapturedOutput output) {
        assertThat(failed("--saga.enabled=false", "--spring.datasource.url=" + Contexts.h2()))
                .isNotNull();

        assertThat(output.getAll()).contains("APPLICATION FAILED TO START").doesNotContain("SAGA-CFG-001");
    }

    @Test
    void a_bean_that_wants_a_client_is_told_of_a_switch_that_is_neither_on_nor_off(CapturedOutput output) {
        assertThat(failed("--saga.enabled=no", "--spring.datasource.url=" + Contexts.h2()))
                .isNotNull();

        assertThat(output.getAll())
                .contains("SAGA-CFG-007: saga.enabled is \"no\"; allowed is true or false")
                .doesNotContain("required a bean of type");
    }

    private static Throwable failed(String... arguments) {
        SpringApplication application = new SpringApplication(Starter.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return catchThrowable(
                () -> application.run(Stream.concat(Stream.of(arguments), Stream.of("--spring.liquibase.enabled=false"))
                        .toArray(String[]::new)));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Starter {
        @Bean
        Runnable service(SagaClient sagas) {
            return () -> sagas.find(new UUID(0, 0));
        }
    }
}
