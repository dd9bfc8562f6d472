package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.store.Transactions;
import io.backstep.saga.test.OutboxContract;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract on a database with the tables of participants, and none of the sagas. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcOutboxContract extends OutboxContract {
    private final ParticipantDatabase database;
    private HikariDataSource dataSource;
    private JdbcTransactions transactions;
    private JdbcOutboxStore store;

    JdbcOutboxContract(ParticipantDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void open() {
        dataSource = database.open(config -> {
            config.setMaximumPoolSize(20);
            config.setLeakDetectionThreshold(30_000);
        });
        transactions = new JdbcTransactions(dataSource);
        store = JdbcOutboxStore.create(dataSource, transactions);
    }

    @AfterAll
    void close() {
        if (dataSource != null) { // else there is no such server: the cases are skipped
            dataSource.close();
        }
    }

    @Override
    protected OutboxStore store() {
        return store;
    }

    @Override
    protected Transactions transactions() {
        return transactions;
    }

    @Override
    protected void reset() {
        TestDatabase.execute(dataSource, "delete from saga_outbox");
        TestDatabase.execute(dataSource, "update saga_outbox_lane set owner = null, lease_until = null");
    }

    @Override
    protected void age(UUID id, Duration by) {
        long micros = Rows.micros(by);
        Object key = database == ParticipantDatabase.MARIADB ? Binding.Bytes.bytes(id) : id;
        int rows = TestDatabase.execute(
                dataSource,
                "update saga_outbox set " + database.earlier("created_at") + ", " + database.earlier("due_at") + ", "
                        + database.earlier("sent_at") + " where id = ?",
                micros,
                micros,
                micros,
                key);
        assertThat(rows).isEqualTo(1);
    }

    @Override
    protected void ageLease(int lane, Duration by) {
        TestDatabase.execute(
                dataSource,
                "update saga_outbox_lane set " + database.earlier("lease_until") + " where lane = ?",
                Rows.micros(by),
                lane);
    }
}
