package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.engine.SagaClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Configuration that is wrong: every fault with its code, the property, the value and what is allowed, and all of them at once. */
class BadConfigurationTest {
    private static final String NUMBER = "; allowed is a whole number";
    private static final String UNIT = "; allowed is a number with its unit, such as 500ms, 10s or 1h";
    private static final String SWITCH = "; allowed is true or false";

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("C7", "saga.batch-size", "abc", "SAGA-CFG-007: saga.batch-size is \"abc\"", NUMBER),
                fault("C7", "saga.batch-size", "10k", "SAGA-CFG-007: saga.batch-size is \"10k\"", NUMBER),
                fault("C7", "saga.batch-size", "1.5", "SAGA-CFG-007: saga.batch-size is \"1.5\"", NUMBER),
                fault("C7", "saga.batch-size", "9999999999", "SAGA-CFG-007: saga.batch-size is", NUMBER),
                fault("C7", "saga.batchSize", "abc", "SAGA-CFG-007: saga.batch-size is \"abc\"", NUMBER),
                fault("C7", "saga.journal.writers", "two", "SAGA-CFG-007: saga.journal.writers is \"two\"", NUMBER),
                fault("C7", "saga.lease", "10", "SAGA-CFG-007: saga.lease is \"10\"", "without a unit" + UNIT),
                fault("C7", "saga.lease", 10, "SAGA-CFG-007: saga.lease is \"10\"", "without a unit" + UNIT),
                fault("C7", "saga.shutdown-grace", "30", "SAGA-CFG-007: saga.shutdown-grace is \"30\"", UNIT),
                fault("C7", "saga.abandon-after", "-5", "SAGA-CFG-007: saga.abandon-after is \"-5\"", UNIT),
                fault("C7", "saga.lease", "10 seconds", "SAGA-CFG-007: saga.lease is \"10 seconds\"", UNIT),
                fault("C7", "saga.lease", "ten", "SAGA-CFG-007: saga.lease is \"ten\"", UNIT),
                fault(
                        "C7",
                        "saga.metrics.duration-buckets",
                        "1s,20",
                        "SAGA-CFG-007: saga.metrics.duration-buckets is \"1s,20\"",
                        UNIT + "; several, separated by commas"),
                fault("C7", "saga.metrics.duration-buckets[0]", "20", "SAGA-CFG-007: saga.metrics.duration-buckets[0]"),
                fault("C7", "saga.metrics.enabled", "maybe", "SAGA-CFG-007: saga.metrics.enabled is \"maybe\"", SWITCH),
                fault("C7", "saga.batch-size", "${gone}", "SAGA-CFG-007: saga.batch-size is \"${gone}\"", NUMBER),
                fault("C7", "saga.batch-size", "x\n" + "y".repeat(80), "is \"x\\u000a" + "y".repeat(62) + "...\""),
                fault(
                        "C7",
                        "saga.enginee.enabled",
                        "true",
                        "SAGA-CFG-007: saga.enginee.enabled is unknown; the nearest is"),
                fault(
                        "C1",
                        "saga.datasource",
                        "orders",
                        "SAGA-CFG-001: saga.datasource is \"orders\"",
                        "[main, reports]"),
                fault("C1", "saga.datasource", "text", "SAGA-CFG-001: saga.datasource is \"text\"", "[main, reports]"),
                fault("C1", "saga.transaction-manager", "tx", "SAGA-CFG-008: saga.transaction-manager is \"tx\"", "[]"),
                fault(
                        "C4",
                        "saga.schema.table-prefix",
                        "1x",
                        "SAGA-CFG-004: saga.schema.table-prefix is \"1x\"; allowed"),
                fault(
                        "C4",
                        "saga.schema.name",
                        "x\"; drop",
                        "SAGA-CFG-004: saga.schema.name is \"x\"; drop\"; allowed"),
                fault("C5", "saga.lease", "1s", "SAGA-CFG-005: saga.lease is PT1S; allowed is PT2S to PT1H"),
                fault("C5", "saga.poll-interval", "0ms", "SAGA-CFG-005: saga.poll-interval is PT0S; allowed is"),
                fault("C5", "saga.poll-interval", "1d", "SAGA-CFG-005: saga.poll-interval is PT24H; allowed is"),
                fault("C5", "saga.batch-size", "0", "SAGA-CFG-005: saga.batch-size is 0, allowed is 1 to 1000"),
                fault("C5", "saga.node-id", "a b", "SAGA-CFG-005: saga.node-id is \"a b\", allowed is 1 to 100 of"));
    }

    private static Arguments fault(String row, String name, Object value, String... shown) {
        return Arguments.of(row, name, value, shown);
    }

    @ParameterizedTest(name = "{0} {1}={2}")
    @MethodSource("faults")
    void one_fault_is_one_line(String row, String name, Object value, String[] shown) {
        String message = refused(Map.of(name, value));

        assertThat(message).contains(shown).hasLineCount(1);
    }

    static Stream<Arguments> combinations() {
        return Stream.of(
                together(
                        Map.of("saga.batch-size", "abc", "saga.schema.table-prefix", "1x", "saga.datasource", "orders"),
                        "SAGA-CFG-007: saga.batch-size",
                        "SAGA-CFG-004: saga.schema.table-prefix",
                        "SAGA-CFG-001: saga.datasource"),
                together(
                        Map.of("saga.lease", "1s", "saga.enginee.enabled", "true", "saga.transaction-manager", "tx"),
                        "SAGA-CFG-005: saga.lease",
                        "SAGA-CFG-007: saga.enginee.enabled",
                        "SAGA-CFG-008: saga.transaction-manager"),
                together(
                        Map.of("saga.lease", "10", "saga.poll-interval", "1d", "saga.worker-threads", "0"),
                        "SAGA-CFG-007: saga.lease",
                        "SAGA-CFG-005: saga.poll-interval",
                        "SAGA-CFG-005: saga.worker-threads is 0"),
                together(
                        Map.of("saga.schema.table-prefix", "a b", "saga.schema.name", "select", "saga.leese", "1s"),
                        "SAGA-CFG-004: saga.schema.table-prefix",
                        "SAGA-CFG-004: saga.schema.name",
                        "SAGA-CFG-007: saga.leese"),
                together(
                        Map.of(
                                "saga.batch-size", "10k",
                                "saga.worker-threads", "many",
                                "saga.shutdown-grace", "5",
                                "saga.metrics.enabled", "maybe"),
                        "SAGA-CFG-007: saga.batch-size",
                        "SAGA-CFG-007: saga.worker-threads",
                        "SAGA-CFG-007: saga.shutdown-grace",
                        "SAGA-CFG-007: saga.metrics.enabled"));
    }

    private static Arguments together(Map<String, Object> set, String... shown) {
        return Arguments.of(set, List.of(shown));
    }

    @ParameterizedTest // C7
    @MethodSource("combinations")
    void faults_of_different_kinds_are_told_at_once(Map<String, Object> set, List<String> shown) {
        assertThat(refused(set)).contains(shown).hasLineCount(shown.size());
    }

    @Test
    void a_time_of_zero_needs_no_unit() {
        assertThat(settings(Map.of("saga.shutdown-grace", "0")).tuning().shutdownGrace())
                .isZero();
    }

    @Test
    void a_placeholder_is_read_as_what_it_stands_for() {
        assertThat(settings(Map.of("saga.batch-size", "${some.size:7}"))
                        .tuning()
                        .batchSize())
                .isEqualTo(7);
        assertThat(refused(Map.of("saga.lease", "${some.lease:7}"))).contains("without a unit");
    }

    @Test // C7
    void the_place_of_a_wrong_value_is_told() {
        Contexts.onH2()
                .withPropertyValues("saga.batch-size=abc", "saga.lease=5")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(SagaConfigurationException.class)
                        .hasMessageContainingAll(
                                "SAGA-CFG-007: saga.batch-size is \"abc\" in \"saga.batch-size\" from property source",
                                "SAGA-CFG-007: saga.lease is \"5\""));
    }

    @ParameterizedTest // C7
    @ValueSource(strings = {"abc", "tru", "on", "yes", "1"})
    void a_switch_that_is_neither_on_nor_off_is_refused(String value) {
        Contexts.onH2()
                .withPropertyValues("saga.enabled=" + value)
                .run(context -> assertThat(context.getStartupFailure())
                        .isNotNull()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-007: saga.enabled is", "allowed is true or false"));
    }

    @Test
    void a_switch_is_on_or_off_whatever_the_case() {
        Contexts.onH2()
                .withPropertyValues("saga.enabled=TRUE")
                .run(context -> assertThat(context).hasSingleBean(SagaClient.class));
        Contexts.onH2()
                .withPropertyValues("saga.enabled=False")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SagaClient.class));
    }

    private static String refused(Map<String, Object> set) {
        Throwable refused = catchThrowable(() -> settings(set));
        assertThat(refused).isInstanceOf(SagaConfigurationException.class);
        return refused.getMessage();
    }

    private static SagaSettings settings(Map<String, Object> set) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", new LinkedHashMap<>(set)));
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("main", new DriverManagerDataSource());
        beans.addBean("reports", new DriverManagerDataSource());
        beans.addBean("text", "no DataSource");
        return SagaSettings.checked(environment, beans);
    }
}
