package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.SagaStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract on a real database, which all cases share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends SagaStoreContract {
    private HikariDataSource dataSource;
    private JdbcTransactions transactions;
    private JdbcSagaStore store;

    abstract void configure(HikariConfig config);

    /** Where the tables are. */
    SagaSchema.Options options() {
        return SagaSchema.Options.DEFAULT;
    }

    @BeforeAll
    void open() {
        HikariConfig config = new HikariConfig();
        configure(config);
        config.setMaximumPoolSize(30);
        config.setMinimumIdle(0);
        dataSource = new HikariDataSource(config);
        SagaSchema.migrate(dataSource, options());
        transactions = new JdbcTransactions(dataSource);
        store = JdbcSagaStore.create(dataSource, transactions, options());
    }

    @AfterAll
    void close() {
        if (dataSource != null) { // else there is no such server: the cases are skipped
            dataSource.close();
        }
    }

    /** An id as this database takes it. */
    Object parameter(UUID sagaId) {
        return sagaId;
    }

    HikariDataSource dataSource() {
        return dataSource;
    }

    @Override
    protected SagaStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void corrupt(UUID sagaId, String steps) {
        execute("update saga_instance set steps = ? where saga_id = ?", steps, sagaId);
    }

    @Override
    protected void withRowLocked(UUID sagaId, Runnable meanwhile) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (var lock = connection.prepareStatement(
                    qualified("select saga_id from saga_instance where saga_id = ? for update"))) {
                lock.setObject(1, parameter(sagaId));
                lock.executeQuery().next();
                meanwhile.run();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String statement, Object... parameters) {
        try (Connection connection = dataSource.getConnection();
                var prepared = connection.prepareStatement(qualified(statement))) {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i] instanceof UUID id ? parameter(id) : parameters[i]);
            }
            prepared.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String qualified(String statement) {
        return statement.replaceAll("\\bsaga_(?!id)", options().qualifier(SagaSchema.product(dataSource)));
    }

    static long micros(Duration duration) {
        return Rows.micros(duration);
    }
}
