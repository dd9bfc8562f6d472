package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.Step;
import io.backstep.saga.jdbc.JdbcIdempotencyStore;
import io.backstep.saga.jdbc.JdbcReservations;
import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.participant.InMemoryIdempotencyStore;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.Stock;
import io.backstep.saga.participant.VoidParticipantGuard;
import io.backstep.saga.spring.redis.RedisIdempotencyStore;
import jakarta.servlet.ServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Beans for participants, with and without their neighbours. */
class ParticipantBeansTest {
    private static final AutoConfigurations MORE =
            AutoConfigurations.of(SagaRedisAutoConfiguration.class, SagaIdempotencyAutoConfiguration.class);
    private static final String REDIS = "org.springframework.data.redis";
    private static final String WEB = "org.springframework.web";

    private final ApplicationContextRunner application = Contexts.onH2().withConfiguration(MORE);
    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(Contexts.ours())
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(MORE)
            .withUserConfiguration(Contexts.OneDefinition.class)
            .withPropertyValues("spring.datasource.url=" + Contexts.h2());

    @Test
    void guards_and_the_handler_work_on_the_tables_of_the_sagas() {
        application.run(context -> {
            ParticipantGuards guards = context.getBean(ParticipantGuards.class);
            IdempotencyHandler handler = context.getBean(IdempotencyHandler.class);
            Step<String> name = Step.named("name", String.class);

            assertThat(guards.guard(name).action("1", () -> "a")).isEqualTo("a");
            assertThat(guards.guard(name).action("1", () -> "b")).isEqualTo("a");
            assertThat(handler.once("1", name, "", () -> "c")).isEqualTo("c");
            assertThat(handler.once("1", name, "", () -> "d")).isEqualTo("c");
            assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(JdbcIdempotencyStore.class);
        });
    }

    @Test
    void reservations_are_swept_when_that_is_asked_for() {
        application.run(context -> {
            JdbcReservations reservations = context.getBean(JdbcReservations.class);
            reservations.change("lamp", 3);
            reservations.tryReserve("1", "lamp", 2, Duration.ofMinutes(1));

            assertThat(reservations.stock("lamp")).contains(new Stock(1, 2));
            assertThat(context.getBean(ReservationSweeper.class).isRunning()).isFalse();
        });
        application
                .withPropertyValues("saga.reservations.sweep-interval=1m")
                .run(context -> assertThat(
                                context.getBean(ReservationSweeper.class).isRunning())
                        .isTrue());
        application
                .withPropertyValues("saga.reservations.sweep-interval=10ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-005", "saga.reservations.sweep-interval"));
    }

    @Test
    void a_sweep_that_fails_does_not_end_the_sweeper() throws Exception {
        CountDownLatch swept = new CountDownLatch(3);
        ReservationSweeper sweeper = new ReservationSweeper(
                () -> {
                    swept.countDown();
                    throw new IllegalStateException("planned");
                },
                Duration.ofMillis(1));

        sweeper.start();

        assertThat(swept.await(60, TimeUnit.SECONDS)).isTrue();
        sweeper.stop();
        assertThat(sweeper.isRunning()).isFalse();
    }

    @Test
    void answers_whose_time_is_over_are_deleted_by_themselves() {
        application
                .withPropertyValues("saga.retention.interval=1s", "saga.retention.batch-size=3")
                .run(context -> {
                    IdempotencyStore store = context.getBean(IdempotencyStore.class);
                    for (int i = 0; i < 7; i++) {
                        answered(store, "brief " + i, Duration.ofMillis(1));
                    }
                    answered(store, "lasting", Duration.ofDays(1));

                    JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
                    await().atMost(Duration.ofSeconds(20))
                            .untilAsserted(() -> assertThat(
                                            sql.queryForList("select request_key from saga_idempotency", String.class))
                                    .containsExactly("lasting"));
                });
    }

    @Test
    void what_the_guard_has_not_changed_for_long_is_deleted_when_an_age_is_set() {
        application
                .withPropertyValues(
                        "saga.retention.guard=1h", "saga.retention.interval=1s", "saga.retention.batch-size=3")
                .run(context -> {
                    VoidParticipantGuard ship =
                            context.getBean(ParticipantGuards.class).guard("ship");
                    for (int i = 0; i < 8; i++) {
                        ship.action("" + i, () -> {});
                    }
                    JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
                    sql.update("update saga_guard set changed_at = dateadd('minute', -61, changed_at)"
                            + " where operation_id <> '7'");

                    await().atMost(Duration.ofSeconds(20))
                            .untilAsserted(() -> assertThat(
                                            sql.queryForList("select operation_id from saga_guard", String.class))
                                    .containsExactly("7"));
                });
        application
                .withPropertyValues("saga.retention.guard=59s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-005", "saga.retention.guard"));
    }

    private static void answered(IdempotencyStore store, String key, Duration timeToLive) {
        UUID token = UUID.randomUUID();
        store.claim(new IdempotencyClaim(key, "f".repeat(64), token, Duration.ofMinutes(1), Duration.ofDays(1)));
        assertThat(store.complete(key, token, "1", timeToLive)).isTrue();
    }

    @Test
    void a_store_of_the_applications_own_is_used() {
        IdempotencyStore own = new InMemoryIdempotencyStore(Instant::now);

        application
                .withBean(IdempotencyStore.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(IdempotencyStore.class)).isSameAs(own));
    }

    @Test
    void redis_is_used_when_it_is_asked_for() {
        ApplicationContextRunner beside =
                application.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", 1));

        beside.run(context ->
                assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(JdbcIdempotencyStore.class));
        beside.withPropertyValues("saga.idempotency.redis=true")
                .run(context ->
                        assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(RedisIdempotencyStore.class));
    }

    @Test
    void redis_that_is_asked_for_and_not_there_is_refused() {
        for (ApplicationContextRunner without :
                List.of(application, application.withClassLoader(new FilteredClassLoader(REDIS, "io.lettuce")))) {
            without.withPropertyValues("saga.idempotency.redis=true")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContainingAll("SAGA-CFG-021", "saga.idempotency.redis"));
        }
    }

    @Test
    void without_redis_and_without_the_web_the_rest_is_there() {
        application
                .withPropertyValues("saga.idempotency.filter=true", "saga.idempotency.required=/**")
                .withClassLoader(new FilteredClassLoader(REDIS, WEB, "io.lettuce", "jakarta.servlet"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ParticipantGuards.class)
                        .hasSingleBean(IdempotencyHandler.class)
                        .doesNotHaveBean("sagaIdempotencyFilter"));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    void the_api_for_operators_has_keys_of_its_own(boolean enabled, boolean goesThrough) {
        web.withPropertyValues(
                        "saga.idempotency.filter=true",
                        "saga.admin.enabled=" + enabled,
                        "saga.admin.dangerously-open-to-anyone=true")
                .run(context -> {
                    MockHttpServletRequest retry = new MockHttpServletRequest("POST", "/admin/sagas/1/retry-forward");
                    retry.addHeader("Idempotency-Key", "k");
                    AtomicReference<ServletRequest> seen = new AtomicReference<>();

                    context.getBean("sagaIdempotencyFilter", FilterRegistrationBean.class)
                            .getFilter()
                            .doFilter(retry, new MockHttpServletResponse(), (request, response) -> seen.set(request));

                    assertThat(seen.get() == retry).isEqualTo(goesThrough);
                });
    }

    @Test
    void a_bad_pattern_is_refused() {
        web.withPropertyValues("saga.idempotency.filter=true", "saga.idempotency.required=/a,/{b")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-005", "saga.idempotency.required"));
    }

    @Test
    void paths_that_need_a_key_are_refused_where_no_filter_looks() {
        web.withPropertyValues("saga.idempotency.required=/a")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-005", "saga.idempotency.required"));
    }

    @Test
    void the_filter_is_there_when_it_is_asked_for_and_needs_no_spring_mvc() {
        web.run(context -> assertThat(context).doesNotHaveBean("sagaIdempotencyFilter"));
        web.withPropertyValues("saga.idempotency.filter=true")
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.web.servlet", "org.springframework.boot.webmvc"))
                .run(context -> assertThat(context.getBean("sagaIdempotencyFilter"))
                        .isInstanceOf(FilterRegistrationBean.class));
    }

    @Test
    void bad_durations_are_refused() {
        application
                .withPropertyValues("saga.idempotency.limit=0s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("SAGA-CFG-005", "saga.idempotency"));
    }
}
