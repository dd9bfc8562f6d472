package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.VoidAction;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A step that ends its own JVM: F15. */
class ExitingStepIT {
    private static final SagaType<String> TYPE = SagaType.named("exits", String.class);
    private static final int EXIT_CODE = 7;

    /** The JVM that is ended. Arguments: url, user, password. */
    public static void main(String[] args) throws InterruptedException {
        HikariDataSource pool = new TestDatabase(args[0], args[1], args[2]).pool();
        engine(pool, c -> System.exit(EXIT_CODE)).client().start(TYPE, "x");
        new CountDownLatch(1).await();
    }

    private static SagaEngine engine(HikariDataSource pool, VoidAction<String> action) {
        JdbcTransactions transactions = new JdbcTransactions(pool);
        SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(Duration.ofSeconds(2), Duration.ofMillis(100)))
                .build();
        engine.register(Saga.define(TYPE)
                .step("one")
                .action(action)
                .noCompensation("a test")
                .build());
        engine.start();
        return engine;
    }

    @Test
    void another_node_calls_it_again() throws Exception {
        TestDatabase database = TestDatabase.postgres();
        AtomicInteger calls = new AtomicInteger();
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            assertThat(exitCode(fork(database))).isEqualTo(EXIT_CODE);
            String id = TestDatabase.strings(pool, "select saga_id from saga_instance")
                    .get(0);
            try (SagaEngine other = engine(pool, c -> calls.incrementAndGet())) {
                assertThat(other.client()
                                .await(UUID.fromString(id), Duration.ofMinutes(1))
                                .status())
                        .isEqualTo(SagaStatus.COMPLETED);
            }
            assertThat(TestDatabase.strings(
                            pool, "select outcome from saga_step_history where step = 'one' order by seq, ordinal"))
                    .containsExactly("TAKEN_OVER", "SUCCEEDED");
            assertThat(calls).hasValue(1);
        }
    }

    private static int exitCode(Process fork) throws InterruptedException {
        try {
            assertThat(fork.waitFor(2, TimeUnit.MINUTES)).isTrue();
            return fork.exitValue();
        } finally {
            fork.destroyForcibly();
        }
    }

    private static Process fork(TestDatabase database) throws Exception {
        return new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExitingStepIT.class.getName(),
                        database.url(),
                        database.user(),
                        database.password()))
                .inheritIO()
                .start();
    }
}
