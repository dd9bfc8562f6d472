package io.backstep.saga.jdbc.order;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** A node: a pool, a store, an engine. */
final class OrderNode implements AutoCloseable {
    final HikariDataSource dataSource;
    final SagaEngine engine;

    OrderNode(
            String nodeId,
            TestPostgres.Db database,
            Duration lease,
            double lostReplies,
            UnaryOperator<SagaStore> wrap) {
        this.dataSource = dataSource(nodeId, database);
        JdbcTransactions transactions = new JdbcTransactions(dataSource);
        SagaStore store = wrap.apply(JdbcSagaStore.create(dataSource, transactions));
        this.engine = SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .tuning(Tuning.defaults().withNodeId(nodeId).withLease(lease, Duration.ofMillis(50)))
                .build();
        engine.register(
                OrderSaga.definition(new OrderParticipants(dataSource, lostReplies, nodeId.hashCode()), transactions));
        engine.start();
    }

    /** A pool on a database that keeps what it acknowledges, and knows its sessions by that name. */
    static HikariDataSource dataSource(String name, TestPostgres.Db database) {
        HikariConfig config = new HikariConfig();
        String separator = database.url().contains("?") ? "&" : "?";
        config.setJdbcUrl(database.url() + separator + "options=-c%20synchronous_commit=on");
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.addDataSourceProperty("ApplicationName", name);
        config.setMaximumPoolSize(10);
        return new HikariDataSource(config);
    }

    @Override
    public void close() {
        engine.close();
        dataSource.close();
    }
}
