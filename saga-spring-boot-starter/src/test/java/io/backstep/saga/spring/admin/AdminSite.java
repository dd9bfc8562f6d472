package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.testsupport.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application on PostgreSQL with the REST API, as its operators meet it. */
final class AdminSite implements AutoCloseable {
    static final String BASE = "/admin/sagas";
    private static final String EXCLUDED =
            "spring.autoconfigure.exclude=" + HibernateJpaAutoConfiguration.class.getName() + ","
                    + DataJpaRepositoriesAutoConfiguration.class.getName();

    /** Nothing is due by itself: what happens is what somebody asked for. */
    private static final List<String> QUIET = List.of(
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "server.port=0",
            "saga.poll-interval=1h",
            "saga.worker-threads=100",
            "spring.datasource.hikari.maximum-pool-size=20");

    private static AdminSite shared;

    private final ConfigurableApplicationContext context;
    private final int port;

    private AdminSite(ConfigurableApplicationContext context) {
        this.context = context;
        this.port = ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /** With Spring Security and its users, switched on. The same for all tests of this build. */
    static synchronized AdminSite shared() {
        if (shared == null) {
            shared = open(List.of(Sagas.class, Users.class, Hello.class), "saga.admin.enabled=true");
        }
        return shared;
    }

    static AdminSite open(List<Class<?>> configurations, String... properties) {
        TestPostgres.Db database = TestPostgres.fresh();
        SpringApplication application = new SpringApplication(configurations.toArray(Class[]::new));
        application.setRegisterShutdownHook(false);
        Stream<String> of = Stream.of(
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password());
        Stream<String> all = Stream.of(of, QUIET.stream(), Stream.of(EXCLUDED), Arrays.stream(properties))
                .flatMap(part -> part)
                .map(property -> "--" + property);
        return new AdminSite(application.run(all.toArray(String[]::new)));
    }

    @Override
    public void close() {
        context.close();
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    JdbcTemplate sql() {
        return context.getBean(JdbcTemplate.class);
    }

    RawHttp.Answer get(String user, String target, String... headers) {
        return send("GET", user, target, "", headers);
    }

    RawHttp.Answer post(String user, UUID sagaId, String action, String json, String... headers) {
        String[] all = Stream.concat(Stream.of("Content-Type: application/json"), Stream.of(headers))
                .toArray(String[]::new);
        return send("POST", user, BASE + "/" + sagaId + "/" + action, json, all);
    }

    RawHttp.Answer act(String user, UUID sagaId, String action) {
        return post(user, sagaId, action, "{\"reason\":\"a test of " + action + "\"}");
    }

    RawHttp.Answer force(String user, UUID sagaId, String action) {
        return post(user, sagaId, action, "{\"reason\":\"a test of " + action + "\",\"force\":true}");
    }

    RawHttp.Answer send(String method, String user, String target, String body, String... headers) {
        return send(method, user, target, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    RawHttp.Answer send(String method, String user, String target, byte[] body, String... headers) {
        Stream<String> who = user.equals("anonymous") ? Stream.of() : Stream.of("Authorization: " + basic(user));
        return RawHttp.send(
                port, method, target, Stream.concat(who, Stream.of(headers)).toList(), body);
    }

    int port() {
        return port;
    }

    static String basic(String user) {
        byte[] credentials = (user + ":" + user + "-password").getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(credentials);
    }

    UUID start(Parcel parcel) {
        return start(Parcel.TYPE, parcel);
    }

    UUID start(SagaType<Parcel> type, Parcel parcel) {
        return sagas().start(type, parcel).sagaId();
    }

    UUID start(Parcel parcel, String businessKey) {
        return sagas().start(Parcel.TYPE, parcel, StartOptions.businessKey(businessKey))
                .sagaId();
    }

    /** Ended, or parked. */
    UUID rest(UUID sagaId, SagaStatus status) {
        SagaInstance saga = sagas().await(sagaId, Duration.ofSeconds(30));
        if (saga.status() != status) {
            throw new AssertionError(saga.status() + " " + saga.reason() + ", not " + status);
        }
        return sagaId;
    }

    SagaClient sagas() {
        return context.getBean(SagaClient.class);
    }

    /** Takes a saga whose row a test has changed. */
    void claim(UUID sagaId) {
        context.getBean(SagaEngine.class).operators().written(sagaId);
    }

    Map<String, Object> row(UUID sagaId) {
        return sql().queryForMap(
                        "select status, reason, epoch, seq, owner, steps from saga_instance where saga_id = ?", sagaId);
    }

    String status(UUID sagaId) {
        return String.valueOf(row(sagaId).get("status"));
    }

    boolean mailIsRead(UUID sagaId) {
        return sql().queryForList(
                        "select 1 from saga_signal where saga_id = ? and handled_at is null", Integer.class, sagaId)
                .isEmpty();
    }

    /** The attempts whose end nobody has told. */
    List<String> lost(UUID sagaId) {
        return sql().queryForList(
                        "select step || ' ' || attempt || ' ' || outcome from saga_step_history where saga_id = ?"
                                + " and outcome in ('ABANDONED', 'TAKEN_OVER')",
                        String.class,
                        sagaId);
    }

    /** Who did what, oldest first. */
    List<String> audit(UUID sagaId) {
        return sql().queryForList(
                        "select actor || ' ' || action from saga_audit where saga_id = ? order by id",
                        String.class,
                        sagaId);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Sagas {
        @Bean
        SagaDefinition<Parcel> parcel() {
            return Parcel.definition(Parcel.TYPE, Duration.ofMillis(1));
        }

        @Bean
        SagaDefinition<Parcel> patientParcel() {
            return Parcel.definition(Parcel.PATIENT, Duration.ofHours(1));
        }
    }

    /** Each with the password NAME-password. */
    @Configuration(proxyBeanMethods = false)
    static class Users {
        /** Only finds them: the manager itself would replace the passwords by hashes that take long to check. */
        @Bean
        UserDetailsService users() {
            InMemoryUserDetailsManager all = new InMemoryUserDetailsManager(
                    user("nobody", "OTHER"),
                    user("viewer", "SAGA_VIEWER"),
                    user("operator", "SAGA_OPERATOR"),
                    user("ann", "SAGA_OPERATOR"),
                    user("admin", "SAGA_ADMIN"));
            return all::loadUserByUsername;
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name)
                    .password("{noop}" + name + "-password")
                    .roles(role)
                    .build();
        }
    }

    @RestController
    static class Hello {
        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }
}
