package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Requests with a key, by HTTP, to an application with Spring MVC and Spring Security on Tomcat. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IdempotencyHttpContract {
    private static final List<String> COMMON = List.of(
            "spring.application.name=shop",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "server.port=0",
            "saga.idempotency.filter=true",
            "saga.idempotency.required=/payments/**",
            "saga.idempotency.patience=50ms");

    private final HttpClient client = HttpClient.newHttpClient();
    private final String key = UUID.randomUUID().toString();
    private ConfigurableApplicationContext context;
    private Shop shop;

    abstract Stream<String> properties();

    abstract List<Class<?>> configurations();

    @BeforeAll
    void start() {
        Class<?>[] all = Stream.concat(Stream.of(Shop.class, Access.class), configurations().stream())
                .toArray(Class[]::new);
        SpringApplication application = new SpringApplication(all);
        application.setRegisterShutdownHook(false);
        context = application.run(Stream.concat(COMMON.stream(), properties())
                .map(property -> "--" + property)
                .toArray(String[]::new));
        shop = context.getBean(Shop.class);
    }

    @AfterAll
    void stop() {
        if (context != null) {
            context.close();
        }
    }

    private HttpRequest request(String user, String path, String body, String... headers) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Basic " + credentials)
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(body));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> post(String user, String path, String under, String body) throws Exception {
        return send(request(user, path, body, "Idempotency-Key", under));
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body()).contains("\"code\":\"" + code + "\"");
    }

    private static Map<String, List<String>> kept(HttpResponse<String> response) {
        return Stream.of("content-type", "location", "etag")
                .collect(Collectors.toMap(
                        name -> name, name -> response.headers().allValues(name)));
    }

    @Test // R5
    void a_request_that_is_repeated_is_done_once_and_answered_the_same() throws Exception {
        HttpResponse<String> first = post("ann", "/orders", key + 1, "tea");
        HttpResponse<String> again = post("ann", "/orders", key + 1, "tea");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).startsWith("order ").endsWith(" of tea by ann");
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(kept(again)).isEqualTo(kept(first)).doesNotContainValue(List.of());
        assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(again.headers().firstValue("Idempotency-Replayed")).contains("true");
    }

    @Test
    void another_request_under_the_key_is_refused_and_another_users_is_another_key() throws Exception {
        HttpResponse<String> first = post("ann", "/orders", key + 2, "tea");

        assertProblem(post("ann", "/orders", key + 2, "milk"), 422, "SAGA-GRD-003");
        assertProblem(post("ann", "/payments", key + 2, "tea"), 422, "SAGA-GRD-003");
        assertThat(post("bob", "/orders", key + 2, "tea").body())
                .endsWith(" by bob")
                .isNotEqualTo(first.body());
    }

    @Test
    void while_the_first_is_under_way_others_are_told_to_come_back_and_then_answered_the_same() throws Exception {
        CompletableFuture<HttpResponse<String>> first =
                client.sendAsync(request("ann", "/slow", "tea", "Idempotency-Key", key + 3), BodyHandlers.ofString());
        assertThat(shop.begun.await(60, TimeUnit.SECONDS)).isTrue();

        assertProblem(post("ann", "/slow", key + 3, "tea"), 503, "SAGA-GRD-002");
        shop.goOn.countDown();

        assertThat(post("ann", "/slow", key + 3, "tea").body())
                .isEqualTo(first.get(60, TimeUnit.SECONDS).body());
    }

    @Test
    void of_many_at_once_one_is_done() {
        int before = shop.orders.get();
        List<CompletableFuture<HttpResponse<String>>> all = IntStream.range(0, 8)
                .mapToObj(i -> client.sendAsync(
                        request("ann", "/orders", "tea", "Idempotency-Key", key + 4), BodyHandlers.ofString()))
                .toList();

        assertThat(all.stream()
                        .map(CompletableFuture::join)
                        .filter(response -> response.statusCode() != 503)
                        .map(HttpResponse::body)
                        .distinct())
                .hasSize(1);
        assertThat(shop.orders).hasValue(before + 1);
    }

    @Test
    void an_error_page_is_shown_again_and_a_fault_is_not_kept() throws Exception {
        HttpResponse<String> first = post("ann", "/missing", key + 5, "tea");
        HttpResponse<String> again = post("ann", "/missing", key + 5, "tea");
        assertThat(first.statusCode()).isEqualTo(404);
        assertThat(again.statusCode()).isEqualTo(404);
        assertThat(again.body()).contains("\"status\":404", "\"path\":\"/missing\"");
        assertThat(first.body()).contains("\"status\":404", "\"path\":\"/missing\"");
        assertThat(again.headers().firstValue("Idempotency-Replayed")).contains("true");

        assertThat(post("ann", "/failing-once", key + 6, "tea").statusCode()).isEqualTo(500);
        assertThat(post("ann", "/failing-once", key + 6, "tea").statusCode()).isEqualTo(200);
    }

    @Test
    void what_spring_security_refuses_is_neither_done_nor_kept() throws Exception {
        assertThat(post("bob", "/stock", key + 7, "tea").statusCode()).isEqualTo(403);
        assertThat(post("eve", "/stock", key + 7, "tea").statusCode()).isEqualTo(401);
        assertThat(post("ann", "/stock", key + 7, "tea").body()).isEqualTo("filled");
    }

    @Test
    void keys_that_are_missing_too_long_or_two_are_refused() throws Exception {
        assertProblem(send(request("ann", "/payments", "tea")), 400, "SAGA-GRD-009");
        assertThat(send(request("ann", "/orders", "tea")).statusCode()).isEqualTo(201);
        assertProblem(post("ann", "/orders", "k".repeat(201), "tea"), 400, "SAGA-REQ-001");
        HttpRequest two = request("ann", "/orders", "tea", "Idempotency-Key", "a", "Idempotency-Key", "b");
        assertProblem(send(two), 400, "SAGA-REQ-001");
        assertProblem(post("ann", "/orders", key + 8, "x".repeat((1 << 20) + 1)), 413, "SAGA-GRD-006");
    }

    @Test
    void an_answer_that_is_too_large_is_given_once() throws Exception {
        assertThat(post("ann", "/large", key + 9, "tea").body()).hasSize((512 << 10) + 1);
        assertProblem(post("ann", "/large", key + 9, "tea"), 410, "SAGA-GRD-007");
    }

    @Configuration(proxyBeanMethods = false)
    static class Access {
        @Bean
        SecurityFilterChain access(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/stock")
                            .hasRole("CLERK")
                            .anyRequest()
                            .authenticated())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(user("ann", "CLERK"), user("bob", "BUYER"));
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}" + name).roles(role).build();
        }
    }

    @RestController
    @EnableAutoConfiguration
    static class Shop {
        final AtomicInteger orders = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger failures = new AtomicInteger();

        @PostMapping({"/orders", "/payments"})
        ResponseEntity<String> order(@RequestBody String what, Principal by) {
            int number = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + number))
                    .eTag("\"" + number + "\"")
                    .body("order " + number + " of " + what + " by " + by.getName());
        }

        @PostMapping("/slow")
        String slow(@RequestBody String what) throws InterruptedException {
            begun.countDown();
            assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
            return "slow " + what + " " + orders.incrementAndGet();
        }

        @PostMapping("/missing")
        String missing() {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no such order");
        }

        @PostMapping("/failing-once")
        String failingOnce() {
            if (failures.getAndIncrement() == 0) {
                throw new IllegalStateException("planned");
            }
            return "done";
        }

        @PostMapping("/stock")
        String fill() {
            return "filled";
        }

        @PostMapping("/large")
        String large() {
            return "x".repeat((512 << 10) + 1);
        }
    }
}
