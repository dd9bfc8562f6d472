package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Many callers and many slow handlers on a small pool; the callers are virtual threads where Java has them. */
class VirtualThreadsTest {
    private static final SagaType<Integer> SLOW = SagaType.named("slow", Integer.class);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SAGAS = 200;
    private static final int POOL = 5;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
            .withConfiguration(Contexts.ours())
            .withUserConfiguration(Slow.class)
            .withPropertyValues(
                    "spring.threads.virtual.enabled=true",
                    "spring.datasource.url=" + Contexts.h2(),
                    "spring.datasource.hikari.maximum-pool-size=" + POOL,
                    "spring.datasource.hikari.connection-timeout=30000",
                    "saga.poll-interval=20ms",
                    "saga.worker-threads=" + SAGAS);

    // F082, C16
    @Test
    void no_connection_is_held_while_handlers_run() {
        application.run(context -> {
            Door door = context.getBean(Door.class);
            List<UUID> started = startTogether(context);

            assertThat(door.inside.await(60, TimeUnit.SECONDS)).isTrue();
            allConnectionsAreFree(context.getBean(DataSource.class));
            door.open.countDown();

            SagaClient sagas = context.getBean(SagaClient.class);
            assertThat(started)
                    .hasSize(SAGAS)
                    .allSatisfy(id -> assertThat(sagas.await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED));
            assertThat(door.calls).hasValue(SAGAS);
        });
    }

    /** Half of them inside a transaction. */
    private static List<UUID> startTogether(ApplicationContext context) throws Exception {
        SagaClient sagas = context.getBean(SagaClient.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        ExecutorService callers = callers();
        try {
            List<Future<UUID>> all = new ArrayList<>();
            for (int i = 0; i < SAGAS; i++) {
                int input = i;
                all.add(callers.submit(() -> input % 2 == 0
                        ? sagas.start(SLOW, input).sagaId()
                        : transaction.execute(status -> sagas.start(SLOW, input).sagaId())));
            }
            List<UUID> ids = new ArrayList<>();
            for (Future<UUID> one : all) {
                ids.add(one.get(60, TimeUnit.SECONDS));
            }
            return ids;
        } finally {
            callers.shutdown();
        }
    }

    private static ExecutorService callers() throws ReflectiveOperationException {
        return Runtime.version().feature() < 21
                ? Executors.newFixedThreadPool(40)
                : (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
    }

    private static void allConnectionsAreFree(DataSource dataSource) throws Exception {
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < POOL; i++) {
                all.add(dataSource.getConnection());
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    static class Door {
        final CountDownLatch inside = new CountDownLatch(SAGAS);
        final CountDownLatch open = new CountDownLatch(1);
        final AtomicInteger calls = new AtomicInteger();

        void pass() throws InterruptedException {
            calls.incrementAndGet();
            inside.countDown();
            open.await();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Slow {
        @Bean
        Door door() {
            return new Door();
        }

        @Bean
        SagaDefinition<Integer> slow(Door door) {
            return Saga.define(SLOW)
                    .step("pass")
                    .action(c -> door.pass())
                    .noCompensation("a test")
                    .timeout(Duration.ofMinutes(5))
                    .build();
        }
    }
}
