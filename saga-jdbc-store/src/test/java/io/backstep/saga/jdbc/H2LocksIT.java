package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.InsertResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Locks and deadlocks on H2: it waits as long as the session says, and a victim loses its whole transaction. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class H2LocksIT {
    private final HikariDataSource pool = TestDatabase.h2("LOCK_TIMEOUT=300").pool();

    H2LocksIT() {
        SagaSchema.migrate(pool);
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @Test
    void mail_that_somebody_has_locked_stops_only_its_saga() throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(pool);
        Sagas sagas = new Sagas(JdbcSagaStore.create(pool, transactions));
        List<UUID> ids = sagas.owned(3);
        for (UUID id : ids) {
            transactions.inTransaction(() -> sagas.store.post(FaultsContract.cancel(id)));
        }
        try (Connection operator = pool.getConnection()) {
            operator.setAutoCommit(false);
            TestDatabase.execute(operator, "update saga_signal set reason = 'x' where saga_id = ?", ids.get(1));

            assertThat(sagas.submit(ids.stream().map(FaultsContract::merging).toList()))
                    .containsExactly(Kind.ACCEPTED, Kind.LOCKED, Kind.ACCEPTED);
            operator.rollback();
        }
        assertThat(sagas.submit(List.of(FaultsContract.merging(ids.get(1))))).containsExactly(Kind.ACCEPTED);
    }

    /** H2 rolls the whole transaction back, and knows no savepoint any more. */
    @Test // F022
    void a_start_that_is_the_victim_of_a_deadlock_is_told_so() {
        SQLException deadlock = new SQLException("deadlock", "40001", 40001);
        var victims = Watched.wrap(pool, borrowed -> {}, (connection, method, arguments) -> {
            if (method.getName().equals("prepareStatement")
                    && ((String) arguments[0]).startsWith("insert into saga_instance")) {
                connection.rollback();
                throw deadlock;
            }
            return Watched.call(connection, method, arguments);
        });
        JdbcTransactions transactions = new JdbcTransactions(victims);
        Sagas starts = new Sagas(JdbcSagaStore.create(victims, transactions));

        Throwable joined = catchThrowable(
                () -> transactions.inTransaction(() -> starts.store.insertJoined(starts.saga("key", null))));
        Told<List<InsertResult>> alone = Told.by(told -> starts.store.insert(List.of(starts.saga("key", null)), told));

        assertThat(joined).hasRootCause(deadlock);
        assertThat(starts.store.isTransient(joined)).isTrue();
        assertThat(alone.failure()).hasRootCause(deadlock);
    }
}
