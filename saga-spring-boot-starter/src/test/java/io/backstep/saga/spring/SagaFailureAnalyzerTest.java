package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStartException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
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

        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> application.run(
                        "--spring.datasource.url=" + Contexts.h2(),
                        "--spring.liquibase.enabled=false",
                        "--saga.lease=1s")))
                .isNotNull();

        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START", "SAGA-CFG-005: saga.lease is PT1S; allowed is PT2S to PT1H")
                .doesNotContain("at io.backstep.saga.spring.");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}
}
