package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Pools of one or two connections, which business code holds: F8. */
class SmallPoolIT extends OutageFixture {
    private static final String LEASES = "select saga_id from saga_instance where due_at > clock_timestamp()";

    @Override
    TestDatabase database() {
        return TestDatabase.postgres();
    }

    private void start(int connections) {
        start(1_000, config -> {
            config.setMaximumPoolSize(connections);
            config.setPoolName("orders");
        });
    }

    @Test
    void while_business_code_holds_all_connections_starts_are_refused_by_the_name_of_the_pool() throws Exception {
        start(2);
        List<UUID> ids = sagas();
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            open.countDown(); // what was called has an end now that cannot be recorded
            SagaStoreException told = startInVain();
            assertThat(told.effect()).isEqualTo(Effect.NONE);
            assertThat(told).hasStackTraceContaining("orders - Connection is not available");
            await().atMost(LONG).until(() -> TestDatabase.strings(one, LEASES).isEmpty());
            assertThat(String.valueOf(engine.status().lastStoreFailure()))
                    .contains("orders - Connection is not available");
            assertThat(other.isValid(10)).isTrue();
        }
        allEnd(ids);
    }

    @Test
    void one_connection_is_enough_for_transactional_steps_when_business_code_holds_the_other() throws Exception {
        start(2);
        List<UUID> ids = sagas();
        try (Connection held = pool.getConnection()) {
            open.countDown();
            allEnd(ids);
            assertThat(held.isValid(10)).isTrue();
        }
    }

    @Test
    void inside_the_transaction_that_holds_the_only_connection_sagas_are_started_found_and_cancelled()
            throws Exception {
        start(1);
        open.countDown();
        UUID id = transactions.run(() -> {
            UUID started = engine.client().start(TYPE, 1).sagaId();
            assertThat(engine.client().find(started)).isPresent();
            engine.client().cancel(started, "changed my mind");
            return started;
        });
        await().atMost(LONG)
                .until(() -> engine.client().find(id).orElseThrow().status().ended());
    }
}
