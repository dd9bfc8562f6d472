package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a scraper and a health check get over HTTP from a running application. */
class PrometheusIT {
    @Test
    void sagas_that_ended_are_scraped() throws Exception {
        try (ConfigurableApplicationContext context = Applications.web(
                TestPostgres.fresh(),
                Application.class,
                "management.endpoints.web.exposure.include=prometheus,health",
                "management.endpoint.health.show-details=always")) {
            assertThat(scrape(context)).contains(sample("saga_started_total", "none", "none") + " 0.0");
            assertThat(get(context, "/actuator/health")).contains("\"saga\":{", "\"storeReachable\":true");

            runOne(context, Trip.Ending.COMPLETES, SagaStatus.COMPLETED);
            runOne(context, Trip.Ending.COMPLETES, SagaStatus.COMPLETED);
            runOne(context, Trip.Ending.IS_REJECTED, SagaStatus.COMPENSATED);
            runOne(context, Trip.Ending.IS_REJECTED_AND_STUCK, SagaStatus.FAILED);

            // listeners are told after the commit, so perhaps after await() has returned
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(scrape(context))
                            .contains(
                                    sample("saga_started_total", "none", "none") + " 4.0",
                                    sample("saga_completed_total", "none", "none") + " 2.0",
                                    sample("saga_compensated_total", "REJECTED", "pay") + " 1.0",
                                    sample("saga_failed_total", "COMPENSATION_EXHAUSTED", "book") + " 1.0",
                                    sample("saga_duration_seconds_count", "none", "none") + " 2",
                                    sample("saga_duration_seconds_count", "REJECTED", "none") + " 1",
                                    sample("compensation_retries_count", "none", "book") + " 1",
                                    sample("compensation_retries_sum", "COMPENSATION_EXHAUSTED", "book") + " 2.0"));
            List<String> scraped = scrape(context);
            assertThat(buckets(scraped, "saga_duration_seconds"))
                    .startsWith("0.01")
                    .endsWith("604800.0", "+Inf");
            assertThat(buckets(scraped, "compensation_retries"))
                    .containsExactly("1.0E-9", "1.0", "2.0", "3.0", "5.0", "10.0", "20.0", "+Inf");
            String unknown = "saga_unknown{reason=\"none\",saga=\"none\",step=\"none\"} 0.0";
            assertThat(scraped).contains(unknown, "saga_outbox_waiting 0.0", "saga_outbox_failed 0.0");
            assertThat(scraped.stream().filter(line -> line.startsWith("saga_") || line.startsWith("compensation_")))
                    .filteredOn(line -> !line.equals(unknown)) // of sagas that this node can't name
                    .filteredOn(line -> !line.startsWith("saga_outbox_")) // of no saga
                    .allSatisfy(line -> assertThat(line).matches(".*\\{reason=\".+\",saga=\"trip\",step=\".+?\".*"));
        }
    }

    /** The one goes only forward, and without end; the other waits for a version that this node lacks. Neither fails. */
    @Test // F133, F085
    void what_gets_nowhere_is_scraped_and_shown_by_the_health() throws Exception {
        try (ConfigurableApplicationContext context = Applications.web(
                TestPostgres.fresh(),
                Stuck.class,
                "management.endpoints.web.exposure.include=prometheus,health",
                "management.endpoint.health.show-details=always")) {
            SagaClient sagas = context.getBean(SagaClient.class);
            UUID id = sagas.start(Stuck.TYPE, "in").sagaId();
            sagas.await(sagas.start(Stuck.TYPE, "ends").sagaId(), Duration.ofSeconds(20));
            JdbcTemplate sql = context.getBean(JdbcTemplate.class);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> sql.queryForObject(
                                    "select count(*) from saga_step_history where saga_id = ? and outcome = 'FAILED'",
                                    Integer.class,
                                    id)
                            > 1);
            sql.update("update saga_instance set created_at = created_at - interval '1 hour' where saga_id = ?", id);
            sql.update("update saga_instance set created_at = created_at - interval '1 day' where saga_id <> ?", id);
            UUID left = sagas.start(Stuck.TYPE, "in").sagaId();
            sql.update("insert into saga_definition (type_id, name, version, fingerprint)"
                    + " select type_id, name, 7, fingerprint from saga_definition");
            sql.update(
                    "update saga_instance set definition_id = (select id from saga_definition where version = 7)"
                            + " where saga_id = ?",
                    left);

            String age = "saga_oldest_age_seconds{reason=\"none\",saga=\"stuck\",step=\"none\"} 36";
            assertThat(scrape(context))
                    .anyMatch(line -> line.startsWith(age))
                    .contains("saga_unknown{reason=\"none\",saga=\"none\",step=\"none\"} 1.0");
            assertThat(get(context, "/actuator/health"))
                    .contains("\"oldest\":{\"stuck\":\"PT1H", "\"unknownDefinitions\":{\"stuck v7\":1}");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Stuck {
        static final SagaType<String> TYPE = SagaType.named("stuck", String.class);

        @Bean
        SagaDefinition<String> stuck() {
            return Saga.define(TYPE)
                    .pivot("decide")
                    .action(c -> {})
                    .retriable("confirm")
                    .action(c -> {
                        if (!c.input().equals("ends")) {
                            throw new IllegalStateException("away");
                        }
                    })
                    .build();
        }
    }

    private static void runOne(ConfigurableApplicationContext context, Trip.Ending ending, SagaStatus status) {
        assertThat(Contexts.run(context, ending).status()).isEqualTo(status);
    }

    private static String sample(String name, String reason, String step) {
        return name + "{reason=\"" + reason + "\",saga=\"trip\",step=\"" + step + "\"}";
    }

    private static List<String> buckets(List<String> scraped, String meter) {
        return scraped.stream()
                .filter(line -> line.startsWith(meter + "_bucket{reason=\"none\""))
                .map(line -> line.replaceAll(".*le=\"(.*)\".*", "$1"))
                .distinct()
                .toList();
    }

    private static List<String> scrape(ConfigurableApplicationContext context) throws Exception {
        return get(context, "/actuator/prometheus").lines().toList();
    }

    private static String get(ConfigurableApplicationContext context, String path)
            throws IOException, InterruptedException {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("Accept", "text/plain, application/json")
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Contexts.OneDefinition.class)
    static class Application {}
}
