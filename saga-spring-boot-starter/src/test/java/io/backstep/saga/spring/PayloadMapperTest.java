package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/** An application's own way with JSON is that of its API, not that of what sagas store. */
class PayloadMapperTest {
    private static final SagaType<Values> TYPE = SagaType.named("values", Values.class);
    private static final Step<Values> ECHO = Step.named("echo", Values.class);
    private static final Values VALUES = new Values(
            Instant.parse("2026-03-29T01:30:00.123456789Z"),
            LocalDate.of(2026, 2, 28),
            Duration.ofMillis(1_500),
            new BigDecimal("1.10"),
            (1L << 53) + 1,
            Optional.empty(),
            Map.of(Color.DARK_RED, List.of(1L)));

    enum Color {
        DARK_RED
    }

    record Values(
            Instant anInstant,
            LocalDate aDate,
            Duration aDuration,
            BigDecimal aDecimal,
            long aLong,
            Optional<String> nothing,
            Map<Color, List<Long>> byColor) {}

    @Configuration(proxyBeanMethods = false)
    static class Sagas {
        @Bean
        SagaDefinition<Values> values() {
            return Saga.define(TYPE)
                    .step(ECHO)
                    .action(c -> c.input())
                    .noCompensation("a test")
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        @Bean
        JsonMapperBuilderCustomizer customizer() {
            return builder -> builder.enable(
                    DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS);
        }
    }

    private static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(Contexts.ours())
            .withUserConfiguration(Sagas.class);

    /** What stands in the tables, after what was read has been compared. */
    private static List<String> stored(ApplicationContextRunner application) {
        List<String> stored = new ArrayList<>();
        application.withPropertyValues("spring.datasource.url=" + Contexts.h2()).run(context -> {
            context.getBeanProvider(JsonMapper.class)
                    .ifAvailable(mapper -> assertThat(mapper.writeValueAsString(VALUES))
                            .contains("\"an_instant\":1774747800", "\"a_duration\":1.5"));
            SagaClient sagas = context.getBean(SagaClient.class);
            SagaInstance saga = sagas.await(sagas.start(TYPE, VALUES).sagaId(), Duration.ofSeconds(20));
            assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(saga.result(ECHO)).contains(VALUES);
            JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
            stored.add(sql.queryForObject("select input from saga_instance", String.class));
            stored.add(
                    sql.queryForObject("select result from saga_step_history where result is not null", String.class));
        });
        return stored;
    }

    @Test // F089
    void what_is_stored_is_the_same_whatever_the_mapper_of_the_application_does() {
        List<String> plain = stored(APPLICATION);

        List<String> customized = stored(APPLICATION
                .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
                .withUserConfiguration(Customized.class)
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "spring.jackson.default-property-inclusion=non_empty"));

        assertThat(plain)
                .hasSize(2)
                .allSatisfy(json -> assertThat(json)
                        .contains("\"2026-03-29T01:30:00.123456789Z\"", "\"2026-02-28\"", "1.10", "9007199254740993"));
        assertThat(customized).isEqualTo(plain);
    }
}
