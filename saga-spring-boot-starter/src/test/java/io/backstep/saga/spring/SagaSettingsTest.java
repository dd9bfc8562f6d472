package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.spring.admin.AdminSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class SagaSettingsTest {
    @Test
    void the_defaults_are_the_engines_but_for_the_node_id() {
        Tuning tuning = settings(Map.of()).tuning();

        assertThat(tuning).isEqualTo(Tuning.defaults().withNodeId(tuning.nodeId()));
        assertThat(tuning.nodeId()).matches("[A-Za-z0-9._-]+-[0-9a-f]{4}");
    }

    @Test
    void every_property_is_taken() {
        SagaSettings settings = settings(Map.ofEntries(
                Map.entry("saga.node-id", "n1"),
                Map.entry("saga.worker-threads", "3"),
                Map.entry("saga.lease", "4s"),
                Map.entry("saga.poll-interval", "50ms"),
                Map.entry("saga.batch-size", "7"),
                Map.entry("saga.shutdown-grace", "8s"),
                Map.entry("saga.abandon-after", "9s"),
                Map.entry("saga.journal.max-batch", "10"),
                Map.entry("saga.journal.writers", "4"),
                Map.entry("saga.max-in-flight", "11"),
                Map.entry("saga.start-timeout", "12s")));

        assertThat(settings.tuning())
                .isEqualTo(new Tuning(
                        "n1",
                        3,
                        Duration.ofSeconds(4),
                        Duration.ofMillis(50),
                        7,
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(9),
                        10,
                        4,
                        11,
                        Duration.ofSeconds(12)));
    }

    @Test
    void all_faults_are_told_at_once_one_line_each() {
        assertThatThrownBy(() -> settings(Map.of(
                        "saga.leese", "5s",
                        "saga.lease", "1s",
                        "saga.poll-interval", "0ms",
                        "saga.worker-threads", "0",
                        "saga.batch-size", "1001")))
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageContaining("SAGA-CFG-007: saga.leese is unknown; the nearest is saga.lease")
                .hasMessageContaining("SAGA-CFG-005: saga.lease is PT1S; allowed is PT2S to PT1H")
                .hasMessageContaining("SAGA-CFG-005: saga.poll-interval is PT0S; allowed is PT0.01S to PT1H")
                .hasMessageContaining(
                        "saga.worker-threads is 0, allowed is at least 1; saga.batch-size is 1001, allowed is 1 to 1000")
                .message()
                .hasLineCount(4);
    }

    @ParameterizedTest // C5
    @CsvSource({
        "saga.lease, PT1H1S",
        "saga.lease, 1999ms",
        "saga.lease, 50ms",
        "saga.lease, -5s",
        "saga.poll-interval, 1d",
        "saga.poll-interval, 0ms",
        "saga.poll-interval, 0",
        "saga.poll-interval, 9ms"
    })
    void a_time_out_of_range_is_told_once(String name, String value) {
        assertThatThrownBy(() -> settings(Map.of(name, value)))
                .hasMessageStartingWith("SAGA-CFG-005: " + name + " is ")
                .hasMessageContaining("allowed is")
                .hasMessageContaining("the lease is renewed several times before it ends")
                .message()
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"saga.max-in-flight, 0", "saga.start-timeout, -1s", "saga.start-timeout, 2h"})
    void room_for_starts_out_of_range_is_refused(String name, String value) {
        assertThatThrownBy(() -> settings(Map.of(name, value)))
                .hasMessageStartingWith("SAGA-CFG-005: " + name + " is ")
                .hasMessageContaining("allowed is");
    }

    @ParameterizedTest
    @CsvSource({
        "saga.enginee.enabled, saga.admin.enabled",
        "saga.workerthread, saga.worker-threads",
        "saga.schema.prefix, saga.schema.table-prefix",
        "saga.journal.max-batch.size, saga.journal.max-batch",
        "saga.data-source.name, saga.datasource"
    })
    void an_unknown_name_is_told_with_the_nearest(String name, String nearest) {
        assertThatThrownBy(() -> settings(Map.of(name, "1")))
                .hasMessage("SAGA-CFG-007: " + name + " is unknown; the nearest is " + nearest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"saga.workerThreads", "saga.worker_threads", "saga.WORKER-THREADS", "saga.workerthreads"})
    void a_known_name_may_be_spelt_as_ever_in_spring_boot(String name) {
        assertThat(settings(Map.of(name, "5")).tuning().workerThreads()).isEqualTo(5);
    }

    @Test
    void lists_are_known_with_and_without_an_index() {
        assertThat(settings(Map.of(
                                "saga.metrics.duration-buckets[0]", "1s",
                                "saga.metrics.duration-buckets[1]", "2s"))
                        .properties()
                        .metrics()
                        .durationBuckets())
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(settings(Map.of("saga.metrics.duration-buckets", "1s,3s"))
                        .properties()
                        .metrics()
                        .durationBuckets())
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(3));
    }

    @Test
    void a_bucket_of_zero_is_refused() {
        assertThatThrownBy(() -> settings(Map.of("saga.metrics.duration-buckets", "0s")))
                .hasMessageStartingWith("SAGA-CFG-005");
    }

    @ParameterizedTest
    @CsvSource({"web-1.example.org, web-1.example.org", "café/1, caf1", "'', node", "äöü, node", ", node"})
    void a_host_name_becomes_a_name_that_the_engine_takes(String host, String name) {
        assertThat(NodeName.allowed(host)).isEqualTo(name);
        assertThat(NodeName.allowed("x".repeat(300))).hasSize(60);
    }

    @Test
    void what_operators_set_is_taken() {
        SagaSettings settings = settings(Map.of(
                "saga.admin.base-path", "/ops/my-sagas",
                "saga.admin.require-if-match", "true",
                "saga.admin.roles.viewer", "A,SCOPE_b",
                "saga.retention.completed", "7d",
                "saga.retention.force-completed", "1m",
                "saga.retention.interval", "5s",
                "saga.retention.batch-size", "10"));

        assertThat(settings.admin())
                .isEqualTo(new AdminSettings(
                        "/ops/my-sagas",
                        true,
                        false,
                        new AdminSettings.Roles(
                                List.of("A", "SCOPE_b"), List.of("SAGA_OPERATOR"), List.of("SAGA_ADMIN"))));
        assertThat(settings.retention())
                .isEqualTo(new RetentionPolicy(
                        Map.of(
                                SagaStatus.COMPLETED, Duration.ofDays(7),
                                SagaStatus.FORCE_COMPLETED, Duration.ofMinutes(1)),
                        Duration.ofSeconds(5),
                        10));
    }

    @Test // F168
    void the_api_is_for_reading_only_when_nobody_has_the_other_roles() {
        AdminSettings.Roles roles = settings(Map.of("saga.admin.roles.operator", "", "saga.admin.roles.admin", ""))
                .admin()
                .roles();

        assertThat(roles).isEqualTo(new AdminSettings.Roles(List.of("SAGA_VIEWER"), List.of(), List.of()));
    }

    @Test
    void nothing_is_deleted_unless_an_age_is_set() {
        assertThat(settings(Map.of()).retention().ages()).isEmpty();
        assertThat(settings(Map.of("saga.retention.completed", "")).retention().ages())
                .isEmpty();
    }

    @Test
    void faults_of_what_operators_set_are_told_with_all_others() {
        assertThatThrownBy(() -> settings(Map.of(
                        "saga.lease", "1s",
                        "saga.retention.completed", "59s",
                        "saga.retention.compensated", "-1d",
                        "saga.retention.interval", "10ms",
                        "saga.retention.batch-size", "0",
                        "saga.admin.base-path", "/",
                        "saga.admin.roles.admin", "a b",
                        "saga.admin.role", "x")))
                .hasMessageContaining("SAGA-CFG-005: saga.lease")
                .hasMessageContaining("SAGA-CFG-013: saga.retention.completed is PT59S")
                .hasMessageContaining("SAGA-CFG-013: saga.retention.compensated is PT-24H")
                .hasMessageContaining("SAGA-CFG-013: saga.retention.interval is PT0.01S")
                .hasMessageContaining("SAGA-CFG-013: saga.retention.batch-size is 0")
                .hasMessageContaining("SAGA-CFG-019: saga.admin.base-path is \"/\"")
                .hasMessageContaining("SAGA-CFG-016: saga.admin.roles.admin has \"a b\"")
                .hasMessageContaining("SAGA-CFG-007: saga.admin.role is unknown")
                .message()
                .hasLineCount(8);
    }

    @ParameterizedTest // S7
    @ValueSource(
            strings = {
                "/",
                "admin",
                "/admin/",
                "//admin",
                "/admin//sagas",
                "/admin/*",
                "/admin/**",
                "/{x}",
                "/a b",
                "/a;b",
                "/a%2fb",
                "/..",
                "/a/../b",
                "/./a",
                "/actuator",
                "/actuator/sagas",
                "/ACTUATOR/sagas",
                "/health",
                "/healthz",
                "/health/sagas",
                "/manage",
                "/manage/sagas",
                "/a?b",
                "/a#b",
                "/\u00e4"
            })
    void the_api_is_nowhere_where_others_rules_apply(String path) {
        assertThatThrownBy(() ->
                        settings(Map.of("saga.admin.base-path", path, "management.endpoints.web.base-path", "/manage")))
                .hasMessageStartingWith("SAGA-CFG-019: saga.admin.base-path is ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a", "/admin/sagas", "/ops/v1.0/my_sagas-2", "/actuators", "/manage2"})
    void any_other_plain_path_will_do(String path) {
        assertThat(settings(Map.of("saga.admin.base-path", path, "management.endpoints.web.base-path", "/manage"))
                        .admin()
                        .basePath())
                .isEqualTo(path);
    }

    private static SagaSettings settings(Map<String, Object> set) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", set));
        return SagaSettings.checked(environment, new StaticListableBeanFactory());
    }
}
