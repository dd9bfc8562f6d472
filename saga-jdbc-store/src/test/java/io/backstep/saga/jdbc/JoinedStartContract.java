package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Starts inside a transaction of the caller's, on a real database with a running engine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JoinedStartContract {
    record Note(String text) {}

    static final SagaType<Note> TYPE = SagaType.named("note", Note.class);
    private static final Duration LEASE = Duration.ofMillis(200);
    static final Duration LONG = Duration.ofMinutes(1);

    private final List<UUID> called = Collections.synchronizedList(new ArrayList<>());
    private HikariDataSource dataSource;
    JdbcTransactions transactions;
    private SagaEngine engine;

    abstract void configure(HikariConfig config);

    @BeforeAll
    void start() throws SQLException {
        HikariConfig config = new HikariConfig();
        configure(config);
        dataSource = new HikariDataSource(config);
        SagaSchema.migrate(dataSource);
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create table business (id varchar(50) primary key)");
        }
        transactions = new JdbcTransactions(dataSource);
        engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(dataSource, transactions))
                .transactions(transactions)
                .tuning(Tuning.defaults().withLease(LEASE, Duration.ofMillis(20)))
                .build();
        engine.register(Saga.define(TYPE)
                .step("write")
                .action(c -> called.add(c.sagaId()))
                .noCompensation("only a note")
                .build());
        engine.start();
    }

    @AfterAll
    void stop() {
        if (engine != null) { // else there is no such server: the cases are skipped
            engine.close();
            dataSource.close();
        }
    }

    SagaClient sagas() {
        return engine.client();
    }

    @Test // X7
    void in_a_batch_only_the_start_whose_key_another_transaction_has_inserted_waits() throws Exception {
        Sagas store = new Sagas(JdbcSagaStore.create(dataSource, transactions));
        String key = UUID.randomUUID().toString();
        NewInstance wanted = store.saga(key, null);
        List<NewInstance> batch = List.of(
                store.saga(key + "-before", null), wanted, store.saga(null, null), store.saga(key + "-x", null));

        transactions.run(() -> {
            store.store.insertJoined(store.saga(key, null));
            assertThat(store.insert(batch)).containsExactly(Kind.INSERTED, Kind.LOCKED, Kind.INSERTED, Kind.INSERTED);
            return null;
        });

        assertThat(store.insert(List.of(wanted))).containsExactly(Kind.EXISTS);
    }

    private int business(String id) throws SQLException {
        try (var insert = transactions.connection().prepareStatement("insert into business values (?)")) {
            insert.setString(1, id);
            return insert.executeUpdate();
        }
    }

    private boolean exists(String id) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var query = connection.prepareStatement("select id from business where id = ?")) {
            query.setString(1, id);
            return query.executeQuery().next();
        }
    }

    private static String unique() {
        return UUID.randomUUID().toString();
    }

    @Test // F080
    void a_start_in_a_transaction_longer_than_the_lease_begins_after_its_commit() throws Exception {
        String id = unique();
        SagaInstance saga = transactions.run(() -> {
            business(id);
            SagaInstance started = sagas().start(TYPE, new Note(id));
            waitLongerThanTheLease();
            assertThat(called).doesNotContain(started.sagaId());
            assertThat(sagas().find(started.sagaId())).isPresent();
            return started;
        });

        assertThat(sagas().await(saga.sagaId(), LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(Collections.frequency(called, saga.sagaId())).isEqualTo(1);
        assertThat(exists(id)).isTrue();
    }

    /** By the database's clock, as it ages a saga. */
    private void waitLongerThanTheLease() throws Exception {
        UUID other = transactions.inTransaction(
                () -> sagas().start(TYPE, new Note("clock")).sagaId());
        var begun = transactions.inTransaction(() -> sagas().await(other, LONG)).createdAt();
        var now = begun;
        while (Duration.between(begun, now).compareTo(LEASE.multipliedBy(3)) < 0) {
            UUID next = transactions.inTransaction(
                    () -> sagas().start(TYPE, new Note("clock")).sagaId());
            now = transactions.inTransaction(() -> sagas().await(next, LONG)).createdAt();
        }
    }

    @Test // F058, F080
    void a_start_in_a_transaction_that_rolls_back_leaves_nothing() throws Exception {
        String id = unique();
        List<UUID> started = new ArrayList<>();
        assertThatThrownBy(() -> transactions.run(() -> {
                    business(id);
                    started.add(sagas().start(TYPE, new Note(id), StartOptions.businessKey(id))
                            .sagaId());
                    throw new IllegalStateException("business says no");
                }))
                .hasMessage("business says no");

        assertThat(sagas().find(started.get(0))).isEmpty();
        assertThat(exists(id)).isFalse();
        SagaInstance again = sagas().start(TYPE, new Note(id), StartOptions.businessKey(id));
        assertThat(sagas().await(again.sagaId(), LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(called).contains(again.sagaId()).doesNotContain(started.get(0));
    }

    @Test // F049, F013
    void a_key_that_is_taken_leaves_the_transaction_usable() throws Exception {
        String key = unique();
        UUID first = sagas().start(TYPE, new Note("a"), StartOptions.businessKey(key))
                .sagaId();
        transactions.run(() -> {
            business(key + "1");
            SagaInstance same = sagas().start(TYPE, new Note("a"), StartOptions.businessKey(key));
            assertThat(same.sagaId()).isEqualTo(first);
            assertThatThrownBy(() -> sagas().start(TYPE, new Note("b"), StartOptions.businessKey(key)))
                    .isInstanceOf(SagaStartException.class)
                    .hasMessageStartingWith("SAGA-START-002")
                    .hasMessageContaining(first.toString());
            return business(key + "2");
        });

        assertThat(exists(key + "1")).isTrue();
        assertThat(exists(key + "2")).isTrue();
    }

    /** Isolations in which a transaction does not see, and does not lock, what it has looked for in vain. */
    int[] hidingIsolations() {
        return new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE};
    }

    @ParameterizedTest
    @MethodSource("hidingIsolations")
    void a_key_that_the_isolation_hides_is_refused_by_its_type_and_leaves_the_transaction_usable(int isolation)
            throws Exception {
        String key = unique();
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(isolation);
            transactions.join(connection, () -> {
                business(key + "1");
                assertThat(sagas().find(TYPE, key)).isEmpty();
                UUID taken = transactions.inTransaction(
                        () -> sagas().start(TYPE, new Note("a"), StartOptions.businessKey(key))
                                .sagaId());
                assertThatThrownBy(() -> sagas().start(TYPE, new Note("a"), StartOptions.businessKey(key)))
                        .isInstanceOf(SagaStartException.class)
                        .hasMessageStartingWith("SAGA-START-001");
                assertThat(taken).isNotNull();
                return business(key + "2");
            });
            connection.commit();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(autoCommit);
        }
        assertThat(exists(key + "1")).isTrue();
        assertThat(exists(key + "2")).isTrue();
    }

    @Test
    void a_start_on_a_connection_that_the_caller_holds_is_found_by_the_poll() throws Exception {
        UUID saga;
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            saga = transactions.join(
                    connection, () -> sagas().start(TYPE, new Note("joined")).sagaId());
            assertThat(called).doesNotContain(saga);
            connection.commit();
            connection.setAutoCommit(autoCommit);
        }
        assertThat(sagas().await(saga, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void waiting_inside_the_transaction_that_started_it_is_refused() throws Exception {
        transactions.run(() -> {
            UUID saga = sagas().start(TYPE, new Note("x")).sagaId();
            assertThatThrownBy(() -> sagas().await(saga, LONG)).isInstanceOf(IllegalStateException.class);
            return saga;
        });
    }

    @Test // F074
    void a_read_only_transaction_is_refused() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            assertThatThrownBy(() -> transactions.join(connection, () -> sagas().start(TYPE, new Note("x"))))
                    .hasMessageStartingWith("SAGA-START-008");
            connection.rollback();
            connection.setReadOnly(false);
            connection.setAutoCommit(autoCommit);
        }
    }
}
