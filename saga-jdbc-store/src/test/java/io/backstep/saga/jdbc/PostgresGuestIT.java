package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store is a guest: in the application's transactions, and beside nodes of other versions. */
class PostgresGuestIT {
    private static final Lease LEASE = new Lease("node/1", Duration.ofMinutes(1));

    /** Looks at the setting after the store has written, as a flush at commit does. */
    private static final class LookingTransactions extends JdbcTransactions {
        private String lockTimeout = "";

        private LookingTransactions(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public <T extends @Nullable Object> T inTransaction(Callable<T> work) throws Exception {
            return super.inTransaction(() -> {
                T result = work.call();
                lockTimeout = lockTimeout(connection());
                return result;
            });
        }
    }

    private HikariDataSource dataSource;
    private LookingTransactions transactions;
    private JdbcSagaStore store;
    private RegisteredDefinition definition;

    @BeforeEach
    void open() {
        TestPostgres.Db database = TestPostgres.fresh();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
        dataSource = new HikariDataSource(config);
        SagaSchema.migrate(dataSource);
        transactions = new LookingTransactions(dataSource);
        store = JdbcSagaStore.create(dataSource, transactions);
        definition = store.register("guest", 1, "a");
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private static String lockTimeout(Connection connection) throws SQLException {
        try (var query = connection.prepareStatement("select current_setting('lock_timeout')");
                var rows = query.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private UUID inserted(@Nullable Lease lease) {
        UUID id = UUID.randomUUID();
        NewInstance row = new NewInstance(
                id, definition, null, "0".repeat(64), SagaStatus.RUNNING, "{\"steps\":{}}", "1", 1, null, lease);
        store.insert(List.of(row), (results, failure) -> assertThat(failure).isNull());
        return id;
    }

    @Test
    void the_applications_lock_limit_is_in_force_again_after_the_record_is_written() {
        UUID id = inserted(LEASE);
        Mutation record =
                new Mutation(new Fence(id, 1, 0), SagaStatus.RUNNING, null, null, Hold.KEEP, List.of(), List.of());
        store.inTransaction(
                () -> {
                    try (var statement = transactions.connection().createStatement()) {
                        statement.execute("set local lock_timeout = '7s'");
                    }
                    return record;
                },
                (acceptance, failure) -> assertThat(failure).isNull());

        assertThat(store.find(id).orElseThrow().seq()).isEqualTo(1);
        assertThat(transactions.lockTimeout).isEqualTo("7s");
    }

    @Test // F100
    void a_row_with_a_word_of_a_newer_version_stops_no_claim() throws SQLException {
        UUID newer = inserted(null);
        UUID plain = inserted(null);
        try (Connection connection = dataSource.getConnection();
                var update = connection.prepareStatement(
                        "update saga_instance set reason = 'FROM_A_NEWER_VERSION' where saga_id = ?")) {
            update.setObject(1, newer);
            update.executeUpdate();
        }
        List<Claimed> all = new ArrayList<>();
        store.claim(new ClaimRequest(LEASE, 10, List.of(definition.definitionId())), (claimed, failure) -> {
            assertThat(failure).isNull();
            all.addAll(claimed);
        });

        assertThat(all).extracting(one -> one.row().sagaId()).containsExactly(plain);
    }
}
