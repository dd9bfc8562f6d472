package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** Contexts that close while a step runs, one after another, and at once. */
@ExtendWith(OutputCaptureExtension.class)
class ClosingTest {
    private static final SagaType<String> SLOW = SagaType.named("slow", String.class);
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Who made the pool, and so who closes it. */
    enum PoolOf {
        BOOT,
        THE_APPLICATION,
        AN_EMBEDDED_DATABASE
    }

    // F076
    @ParameterizedTest
    @EnumSource
    void what_a_step_did_is_stored_before_the_pool_is_closed(PoolOf who, CapturedOutput output) {
        String url = Contexts.h2();
        Pools.url = url;
        runner(who, url).run(context -> {
            Door door = context.getBean(Door.class);
            UUID id = context.getBean(SagaClient.class).start(SLOW, "a").sagaId();
            assertThat(door.inside.await(30, TimeUnit.SECONDS)).isTrue();
            SagaEngine engine = context.getBean(SagaEngine.class);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(
                    () -> ((ConfigurableApplicationContext) context.getSourceApplicationContext()).close());
            await().atMost(LONG).until(() -> !engine.status().running());
            assertThat(closed).isNotDone();
            door.open.countDown();
            closed.get(30, TimeUnit.SECONDS);

            assertThat(door.ends).containsExactly(id + " COMPLETED");
            if (who != PoolOf.AN_EMBEDDED_DATABASE) { // that one is gone with its pool
                assertThat(Pools.endings(url)).containsExactly(id + " COMPLETED");
            }
            assertThat(output.getAll()).doesNotContain("SAGA-DB-");
        });
    }

    @Test
    void contexts_after_one_another_and_at_once_do_not_disturb_each_other() {
        String url = Contexts.h2();
        ApplicationContextRunner application = runner(PoolOf.BOOT, url).withBean(Open.class);
        application.run(first -> assertThatItRuns(first.getBean(SagaClient.class)));
        application.run(one -> {
            application.run(other -> {
                assertThatItRuns(one.getBean(SagaClient.class));
                assertThatItRuns(other.getBean(SagaClient.class));
            });
            assertThatItRuns(one.getBean(SagaClient.class));
        });
    }

    private static void assertThatItRuns(SagaClient sagas) {
        UUID id = sagas.start(SLOW, "a").sagaId();
        assertThat(sagas.await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    private static ApplicationContextRunner runner(PoolOf who, String url) {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(Slow.class)
                .withPropertyValues("saga.poll-interval=20ms");
        return switch (who) {
            case BOOT -> runner.withPropertyValues("spring.datasource.url=" + url);
            case THE_APPLICATION -> runner.withUserConfiguration(OwnPool.class);
            case AN_EMBEDDED_DATABASE -> runner.withUserConfiguration(Embedded.class);
        };
    }

    /** Databases of these tests, which are looked at when the context is gone. */
    static final class Pools {
        private static volatile String url = "";

        private Pools() {}

        static List<String> endings(String url) throws Exception {
            List<String> all = new CopyOnWriteArrayList<>();
            try (Connection connection = DriverManager.getConnection(url, "sa", "");
                    var query = connection.prepareStatement("select saga_id, status from saga_instance");
                    var rows = query.executeQuery()) {
                while (rows.next()) {
                    all.add(rows.getString(1) + " " + rows.getString(2));
                }
            }
            return all;
        }
    }

    static class Door implements SagaListener {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);
        final List<String> ends = new CopyOnWriteArrayList<>();

        void pass() throws InterruptedException {
            inside.countDown();
            open.await();
        }

        @Override
        public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
            ends.add(saga.sagaId() + " " + saga.status());
        }
    }

    static class Open {
        Open(Door door) {
            door.open.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Slow {
        @Bean
        Door door() {
            return new Door();
        }

        @Bean
        SagaDefinition<String> slow(Door door) {
            return Saga.define(SLOW)
                    .step("pass")
                    .action(c -> door.pass())
                    .noCompensation("a test")
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPool {
        @Bean
        HikariDataSource pool() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(Pools.url);
            pool.setUsername("sa");
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Embedded {
        @Bean
        EmbeddedDatabase database() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }
    }
}
