package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.testsupport.TestPostgres;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** When the engine starts and stops in an application, on PostgreSQL. */
class LifecycleIT {
    private static final SagaType<String> SLOW = SagaType.named("slow", String.class);
    private static final SagaType<String> QUICK = SagaType.named("quick", String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final List<String> EVENTS = new CopyOnWriteArrayList<>();
    private static volatile CountDownLatch entered;
    private static volatile CountDownLatch mayGo;

    private final TestPostgres.Db database = TestPostgres.fresh();

    @BeforeEach
    void closeTheDoor() {
        EVENTS.clear();
        entered = new CountDownLatch(1);
        mayGo = new CountDownLatch(1);
    }

    // F076
    @Test
    void what_a_running_step_did_is_stored_while_the_context_closes() throws Exception {
        ConfigurableApplicationContext context = Applications.run(database, Application.class);
        SagaInstance saga = context.getBean(SagaClient.class).start(SLOW, "a");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        await().atMost(PATIENCE)
                .until(() -> !context.getBeanFactory()
                        .getBean(SagaEngine.class)
                        .status()
                        .running());
        mayGo.countDown();
        closed.get(20, TimeUnit.SECONDS);

        assertThat(statusOf(saga.sagaId())).isEqualTo("COMPLETED");
    }

    /** The one that closes stays alive for the others while it waits, and writes what came of it. */
    @Test // F005
    void a_step_that_takes_longer_than_a_lease_ends_on_the_node_that_closes() throws Exception {
        String[] settings = {"saga.lease=5s", "saga.shutdown-grace=30s"};
        ConfigurableApplicationContext context = Applications.run(database, Application.class, settings);
        try (ConfigurableApplicationContext other = Applications.run(database, Application.class, settings)) {
            UUID saga = context.getBean(SagaClient.class).start(SLOW, "a").sagaId();
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

            SagaEngine engine = context.getBean(SagaEngine.class);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
            await().atMost(PATIENCE).until(() -> !engine.status().running());
            Instant lease = leaseOf(saga);
            await().atMost(PATIENCE).until(() -> leaseOf(saga).isAfter(lease.plus(Duration.ofSeconds(5))));
            assertThat(closed).isNotDone();
            mayGo.countDown();
            closed.get(20, TimeUnit.SECONDS);

            assertThat(statusOf(saga)).isEqualTo("COMPLETED");
            assertThat(other.getBean(SagaStore.class).history(saga))
                    .extracting(
                            line -> line.entry().attempt() + " " + line.entry().outcome())
                    .containsExactly("1 SUCCEEDED", "0 ENDED");
            assertThat(EVENTS).containsExactly("called");
        }
    }

    // F076
    @Test
    void a_request_that_is_served_while_the_web_server_stops_may_start_a_saga() throws Exception {
        ConfigurableApplicationContext context =
                Applications.web(database, WebApplication.class, "server.shutdown=graceful");
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/start"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        await().atMost(PATIENCE).until(() -> refuses(port));
        mayGo.countDown();
        closed.get(20, TimeUnit.SECONDS);

        assertThat(answer.get(20, TimeUnit.SECONDS).body()).isEqualTo("started");
    }

    // F068
    @Test
    void due_sagas_are_taken_when_the_application_is_ready_and_a_runner_may_start_its_own() {
        try (ConfigurableApplicationContext first =
                Applications.run(database, Application.class, "saga.shutdown-grace=0s")) {
            first.getBean(SagaClient.class).start(SLOW, "a");
        }
        EVENTS.clear();
        mayGo.countDown();
        try (ConfigurableApplicationContext context = Applications.run(database, ReadyApplication.class)) {
            await().atMost(PATIENCE).until(() -> EVENTS.contains("claim"));
            assertThat(context.isActive()).isTrue();
            assertThat(EVENTS.stream().filter(event -> !event.equals("called")).distinct())
                    .containsExactly("runner's saga COMPLETED", "ready", "claim");
        }
    }

    @Test
    void sagas_that_another_node_left_are_taken() {
        UUID left;
        try (ConfigurableApplicationContext first =
                Applications.run(database, Application.class, "saga.shutdown-grace=0s")) {
            left = first.getBean(SagaClient.class).start(SLOW, "a").sagaId();
        }
        mayGo.countDown();
        try (ConfigurableApplicationContext second = Applications.run(database, Application.class)) {
            assertThat(second.getBean(SagaClient.class).await(left, PATIENCE).status())
                    .isEqualTo(SagaStatus.COMPLETED);
        }
    }

    // F085
    @Test
    void sagas_whose_definition_is_gone_stay_as_they_are_until_it_is_back() throws Exception {
        UUID left;
        try (ConfigurableApplicationContext with =
                Applications.run(database, Application.class, "saga.shutdown-grace=0s")) {
            left = with.getBean(SagaClient.class).start(SLOW, "a").sagaId();
        }
        mayGo.countDown();
        try (ConfigurableApplicationContext without = Applications.run(database, WithoutSlow.class)) {
            SagaClient sagas = without.getBean(SagaClient.class);
            sagas.await(sagas.start(QUICK, "b").sagaId(), PATIENCE);
            assertThat(statusOf(left)).isEqualTo("RUNNING");
            assertThat(without.getBean("sagaHealthIndicator", HealthIndicator.class)
                            .health()
                            .getDetails())
                    .containsEntry("unknownDefinitions", Map.of("slow v1", 1));
            assertThat(without.getBean(MeterRegistry.class)
                            .get("saga.unknown")
                            .gauge()
                            .value())
                    .isEqualTo(1);
        }
        try (ConfigurableApplicationContext again = Applications.run(database, Application.class)) {
            assertThat(again.getBean(SagaClient.class).await(left, PATIENCE).status())
                    .isEqualTo(SagaStatus.COMPLETED);
        }
    }

    @Test
    void the_engine_starts_before_the_web_server_and_stops_after_it() {
        assertThat(SagaLifecycle.PHASE).isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
    }

    private static boolean refuses(int port) {
        try (var socket = new java.net.Socket("localhost", port)) {
            return false;
        } catch (java.io.IOException e) {
            return true;
        }
    }

    private Instant leaseOf(UUID id) throws Exception {
        return column("due_at", Timestamp.class, id).toInstant();
    }

    private String statusOf(UUID id) throws Exception {
        return column("status", String.class, id);
    }

    private <T> T column(String name, Class<T> type, UUID id) throws Exception {
        try (var connection = database.connect();
                var statement =
                        connection.prepareStatement("select " + name + " from saga_instance where saga_id = ?")) {
            statement.setObject(1, id);
            ResultSet found = statement.executeQuery();
            found.next();
            return found.getObject(1, type);
        }
    }

    private static void waitAtTheDoor() throws InterruptedException {
        entered.countDown();
        mayGo.await();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SagaDefinition<String> slow() {
            return Saga.define(SLOW)
                    .step("wait")
                    .action(c -> {
                        EVENTS.add("called");
                        waitAtTheDoor();
                    })
                    .noCompensation("a test")
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutSlow {
        @Bean
        SagaDefinition<String> quick() {
            return Saga.define(QUICK)
                    .step("go")
                    .action(c -> {})
                    .noCompensation("a test")
                    .build();
        }
    }

    @RestController
    static class Controller {
        private final SagaClient sagas;

        Controller(SagaClient sagas) {
            this.sagas = sagas;
        }

        @GetMapping("/start")
        String start() throws InterruptedException {
            waitAtTheDoor();
            sagas.start(QUICK, "a");
            return "started";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WebApplication extends WithoutSlow {
        @Bean
        Controller controller(SagaClient sagas) {
            return new Controller(sagas);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReadyApplication extends WithoutSlow {
        @Bean
        SagaDefinition<String> slow() {
            return new Application().slow();
        }

        @Bean
        static BeanPostProcessor watch() {
            return new ClaimWatch();
        }

        @Bean
        ApplicationRunner runner(SagaClient sagas) {
            return arguments -> {
                UUID id = sagas.start(QUICK, "a").sagaId();
                EVENTS.add("runner's saga " + sagas.await(id, PATIENCE).status());
            };
        }

        @EventListener
        void ready(ApplicationReadyEvent event) {
            EVENTS.add("ready");
        }
    }

    /** Notes every claim that reaches the store. */
    static class ClaimWatch implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof SagaStore store ? watched(store) : bean;
        }

        private static Object watched(SagaStore store) {
            return Proxy.newProxyInstance(
                    SagaStore.class.getClassLoader(), new Class<?>[] {SagaStore.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("claim")) {
                            EVENTS.add("claim");
                        }
                        try {
                            return method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
