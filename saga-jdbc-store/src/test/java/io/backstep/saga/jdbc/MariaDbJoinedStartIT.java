package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.testsupport.TestMariaDb;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Callers have the server's own isolation, REPEATABLE READ. */
class MariaDbJoinedStartIT extends JoinedStartContract {
    private TestDatabase database;

    @Override
    void configure(HikariConfig config) {
        TestMariaDb.Db fresh = TestMariaDb.fresh();
        database = new TestDatabase(fresh.url(), fresh.user(), fresh.password());
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
    }

    /** In SERIALIZABLE what was looked for in vain is locked: nobody else can start it meanwhile. */
    @Override
    int[] hidingIsolations() {
        return new int[] {Connection.TRANSACTION_REPEATABLE_READ};
    }

    @Test // F047
    void a_serializable_caller_has_the_key_that_it_has_looked_for_to_itself() throws Exception {
        String key = UUID.randomUUID().toString();
        try (var pool = database.pool();
                Connection connection = pool.getConnection()) {
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, transactions));
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);

            Kind own = transactions.join(connection, () -> {
                assertThat(sagas.store.find("order", key)).isEmpty();
                assertThat(sagas.insert(List.of(sagas.saga(key, null)))).containsExactly(Kind.LOCKED);
                return sagas.store.insertJoined(sagas.saga(key, null)).kind();
            });
            connection.commit();

            assertThat(own).isEqualTo(Kind.INSERTED);
            assertThat(sagas.insert(List.of(sagas.saga(key, null)))).containsExactly(Kind.EXISTS);
        }
    }
}
