package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.spring.FaultySource.Fault;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application each of whose JDBC calls fails in turn: starts, claims, writes, recoveries, renewals, mail, operators' actions. Each call
 * of the application ends, and says what is true; and the engine goes on.
 */
class FailingCallsIT {
    private static final Duration LONG = Duration.ofSeconds(20);
    /** By hand: each place by itself, with every fault. Takes minutes. */
    private static final boolean ALL = System.getenv("SAGA_ALL_FAULTS") != null;

    /** Else so many places, each with one fault, share a round. */
    private static final int TOGETHER = 8;

    private static final SagaType<String> TYPE = SagaType.named("order", String.class);

    private static ConfigurableApplicationContext context;
    private static FaultySource source;

    private final SagaClient sagas = context.getBean(SagaClient.class);
    private final SagaAdmin admin = context.getBean(SagaAdmin.class);
    private final SagaEngine engine = context.getBean(SagaEngine.class);
    private final JdbcTemplate jdbc = new JdbcTemplate(source.getTargetDataSource());
    private final TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
    private final JdbcTemplate inside = context.getBean(JdbcTemplate.class);
    private int round;

    @BeforeAll
    static void start() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(Contexts.h2());
        pool.setConnectionTimeout(5_000);
        source = new FaultySource(pool);
        Application.dataSource = source;
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        context = application.run(
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--spring.jpa.hibernate.ddl-auto=none",
                "--saga.poll-interval=20ms",
                "--saga.lease=2s");
        new JdbcTemplate(pool).execute("create table payment (saga varchar(100), kind varchar(10))");
        new JdbcTemplate(pool).execute("create table purchase (name varchar(100))");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    /** What the application does in a round, and whether it was told that it is done. */
    private final class Round {
        private final String name;
        private final List<String> errors = new ArrayList<>();

        private Round(Map<String, Fault> faults) {
            this.name = "r" + round++ + " " + faults;
        }

        private <T> T tried(Callable<T> call) {
            try {
                return call.call();
            } catch (SagaStoreException e) {
                errors.add(e.code() + " " + e.effect());
            } catch (Exception | Error e) {
                errors.add(e.getClass().getSimpleName());
            }
            assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                    .as(name)
                    .isFalse();
            assertThat(TransactionSynchronizationManager.getResourceMap())
                    .as(name)
                    .isEmpty();
            assertThat(MDC.getCopyOfContextMap()).as(name).isNullOrEmpty();
            return null;
        }

        private String key(String text) {
            return name.substring(0, name.indexOf(' ')) + text;
        }

        private SagaInstance started(String text) {
            return sagas.start(TYPE, text, StartOptions.businessKey(key(text)));
        }

        private SagaInstance alone(String text) {
            try {
                return started(text);
            } catch (SagaStoreException e) {
                boolean there = exists(text);
                assertThat(e.effect() == Effect.NONE && there)
                        .as(name + ": told that nothing was written: " + e)
                        .isFalse();
                errors.add(e.code() + " " + e.effect());
                return null;
            }
        }

        private boolean exists(String text) {
            return jdbc.queryForObject(
                            "select count(*) from saga_instance where business_key = ?", Integer.class, key(text))
                    > 0;
        }

        private void joined(String text) {
            SagaInstance told = tried(() -> transactions.execute(status -> {
                inside.update("insert into purchase values (?)", key(text));
                return started(text);
            }));
            int purchases =
                    jdbc.queryForObject("select count(*) from purchase where name = ?", Integer.class, key(text));
            assertThat(exists(text)).as(name + ": a saga with a purchase").isEqualTo(purchases == 1);
            assertThat(told == null || purchases == 1).as(name + ": told so").isTrue();
        }

        /** All again that was not done, without a fault; then it must be done once. */
        private void finish() {
            for (String text : List.of("good", "bad")) {
                SagaInstance saga = startedAtLast(text);
                SagaStatus wanted = text.equals("good") ? SagaStatus.COMPLETED : SagaStatus.COMPENSATED;
                assertThat(sagas.await(saga.sagaId(), LONG).status())
                        .as(name + text)
                        .isEqualTo(wanted);
                assertThat(payments(saga)).as(name + text).isEqualTo(text.equals("good") ? "pay" : "pay,refund");
            }
            SagaInstance slow = startedAtLast("slow");
            sagas.cancel(slow.sagaId(), "enough");
            assertThat(sagas.await(slow.sagaId(), LONG).status())
                    .as(name + "slow")
                    .isEqualTo(SagaStatus.COMPENSATED);
            SagaInstance stuck = startedAtLast("stuck");
            await().atMost(LONG).until(() -> status(stuck) != SagaStatus.RUNNING);
            if (status(stuck) == SagaStatus.FAILED) {
                admin.forceComplete(
                        stuck.sagaId(), AdminRequest.by("ann", "because").withKey(key("request")));
            }
            assertThat(status(stuck)).as(name + "stuck").isEqualTo(SagaStatus.FORCE_COMPLETED);
            assertThat(audits(stuck))
                    .as(name + ": an action has one row in the audit")
                    .isEqualTo(1);
        }

        /** Once a second somebody may find out that the store works again; till then starts are refused. */
        private SagaInstance startedAtLast(String text) {
            return await().atMost(LONG)
                    .ignoreExceptionsMatching(
                            e -> e instanceof SagaStoreException store && store.effect() == Effect.NONE)
                    .until(() -> started(text), saga -> true);
        }

        private int audits(SagaInstance saga) {
            return jdbc.queryForObject(
                    "select count(*) from saga_audit where saga_id = ?", Integer.class, saga.sagaId());
        }

        private SagaStatus status(SagaInstance saga) {
            return sagas.find(saga.sagaId()).orElseThrow().status();
        }

        private String payments(SagaInstance saga) {
            return String.join(
                    ",",
                    jdbc.queryForList(
                            "select kind from payment where saga = ? order by kind",
                            String.class,
                            saga.sagaId().toString()));
        }

        private void run() {
            SagaInstance good = alone("good");
            joined("bad");
            SagaInstance slow = tried(() -> started("slow"));
            if (slow != null) {
                tried(() -> sagas.cancel(slow.sagaId(), "enough"));
            }
            SagaInstance stuck = tried(() -> started("stuck"));
            if (stuck != null) {
                await().atMost(LONG)
                        .until(() -> jdbc.queryForObject(
                                        "select status from saga_instance where saga_id = ?",
                                        String.class,
                                        stuck.sagaId())
                                .equals("FAILED"));
                tried(() -> admin.forceComplete(
                        stuck.sagaId(), AdminRequest.by("ann", "because").withKey(key("request"))));
            }
            if (good != null) {
                tried(() -> sagas.await(good.sagaId(), LONG));
            }
        }
    }

    @Test // G21, F3, F4, F6, F10, F014, F022, F134
    void whichever_call_fails_it_is_told_what_is_true_and_everything_goes_on() {
        List<String> places = cleanly();
        Fault[] faults = Fault.values();
        int rounds = ALL ? places.size() * faults.length : places.size() / TOGETHER + 1;
        Set<String> missed = new TreeSet<>();
        for (int i = 0; i < rounds; i++) {
            Map<String, Fault> these = new HashMap<>();
            if (ALL) {
                these.put(places.get(i / faults.length), faults[i % faults.length]);
            } else {
                for (int k = i; k < places.size(); k += rounds) {
                    these.put(places.get(k), faults[k % faults.length]);
                }
            }
            Round one = new Round(these);
            source.arm(these);
            one.run();
            missed.addAll(source.disarm());
            one.finish();
        }
        assertThat(missed.size())
                .as("one fault hides another; not met: " + missed)
                .isLessThan(places.size() / 2);
        await().atMost(LONG).until(() -> source.open() == 0 && engine.status().storeReachable());
    }

    /** Two rounds without faults: gives the places that one comes by. */
    private List<String> cleanly() {
        source.newPlaces();
        for (int i = 0; i < 2; i++) {
            Round clean = new Round(Map.of());
            clean.run();
            clean.finish();
            assertThat(clean.errors).isEmpty();
        }
        List<String> places = source.newPlaces();
        assertThat(places).hasSizeGreaterThan(80).anyMatch(place -> place.startsWith("writer: commit"));
        return places;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        private static DataSource dataSource;

        @Bean
        DataSource dataSource() {
            return dataSource;
        }

        @Bean
        SagaDefinition<String> order(JdbcTemplate jdbc) {
            return Saga.define(TYPE)
                    .step("book")
                    .action(c -> {
                        if (c.input().equals("slow")) {
                            throw new IllegalStateException("later");
                        }
                    })
                    .compensate(c -> {})
                    .retry(Retry.fixed(Duration.ofHours(1)).maxAttempts(3))
                    .step("pay")
                    .transactional()
                    .action(c -> jdbc.update(
                            "insert into payment values (?, 'pay')", c.sagaId().toString()))
                    .compensate(c -> jdbc.update(
                            "insert into payment values (?, 'refund')",
                            c.sagaId().toString()))
                    .retry(Retry.fixed(Duration.ofMillis(10)).maxAttempts(20))
                    .compensationRetry(Retry.fixed(Duration.ofMillis(10)).maxAttempts(20))
                    .step("check")
                    .action(c -> {
                        if (c.input().equals("bad")) {
                            throw new StepRejectedException("NO", "no");
                        }
                    })
                    .noCompensation("nothing to undo")
                    .pivot("send")
                    .action(c -> {
                        if (c.input().equals("stuck")) {
                            throw new IllegalStateException("nobody knows");
                        }
                    })
                    .retry(Retry.none())
                    .build();
        }
    }
}
