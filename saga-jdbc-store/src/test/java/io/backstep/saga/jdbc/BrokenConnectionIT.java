package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A connection that breaks in the middle of a transactional step. */
class BrokenConnectionIT {
    private final AtomicInteger undone = new AtomicInteger();

    @Test
    void the_step_has_failed_without_effect_and_is_not_compensated() {
        try (HikariDataSource pool = TestDatabase.postgres().pool()) {
            SagaSchema.migrate(pool);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcSagaStore store = JdbcSagaStore.create(pool, transactions);
            SagaInstance saga = run(transactions, store);

            assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
            assertThat(store.history(saga.sagaId()).get(0).entry().outcome()).isEqualTo(Outcome.FAILED);
            assertThat(undone).hasValue(0);
        }
    }

    private SagaInstance run(JdbcTransactions transactions, JdbcSagaStore store) {
        SagaDefinition<String> definition = Saga.define(SagaType.named("breaks", String.class))
                .step("one")
                .transactional()
                .action(c -> TestDatabase.execute(
                        transactions.connection(), "select pg_terminate_backend(pg_backend_pid())"))
                .compensate(c -> undone.incrementAndGet())
                .retry(Retry.none())
                .build();
        try (SagaEngine engine =
                SagaEngine.builder().store(store).transactions(transactions).build()) {
            engine.register(definition);
            engine.start();
            return engine.client().await(engine.client().start(definition, "x").sagaId(), Duration.ofSeconds(30));
        }
    }
}
