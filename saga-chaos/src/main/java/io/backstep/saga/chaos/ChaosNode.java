package io.backstep.saga.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one node is made of: two small pools, the store on JDBC, an engine with the shapes. */
public final class ChaosNode implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ChaosNode.class);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final HikariDataSource database;
    private final HikariDataSource farDatabase;
    private final JdbcTransactions transactions;
    private final Far far;
    private final Stocks stocks;
    private final SagaEngine engine;

    /**
     * Makes the node and starts its engine; a database that is away is waited for. The tables are there already.
     *
     * @param options what it is told
     * @param failpoints told where the code of steps is
     * @param wrap what stands before the store
     */
    public ChaosNode(NodeOptions options, Failpoints failpoints, UnaryOperator<SagaStore> wrap) {
        this(options, failpoints, dataSource -> dataSource, wrap, true);
    }

    /**
     * Makes the node and starts its engine. The tables are there already.
     *
     * @param options what it is told
     * @param failpoints told where the code of steps is
     * @param connections what stands before its pool
     * @param wrap what stands before the store
     */
    public ChaosNode(
            NodeOptions options,
            Failpoints failpoints,
            UnaryOperator<DataSource> connections,
            UnaryOperator<SagaStore> wrap) {
        this(options, failpoints, connections, wrap, false);
    }

    private ChaosNode(
            NodeOptions options,
            Failpoints failpoints,
            UnaryOperator<DataSource> connections,
            UnaryOperator<SagaStore> wrap,
            boolean patient) {
        database = pool(options, options.text("url"), options.number("pool"));
        farDatabase = pool(options, options.text("far-url"), options.number("workers"));
        DataSource used = connections.apply(database);
        transactions = new JdbcTransactions(used);
        far = new Far(farDatabase, options.node(), options.clock(), failpoints);
        stocks = new Stocks(used, transactions, far, failpoints);
        Near near = new Near(transactions, failpoints);
        engine = SagaEngine.builder()
                .store(wrap.apply(insist(patient, () -> JdbcSagaStore.create(used, transactions))))
                .transactions(transactions)
                .tuning(tuning(options))
                .build();
        new Shapes(far, near, stocks).definitions().forEach(engine::register);
        Deployed deployed = new Deployed(far, near, options.millis("deployed-wait-millis"));
        options.release().versions().forEach(version -> engine.register(deployed.version(version)));
        try {
            insist(patient, () -> {
                engine.start();
                return engine;
            });
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static <T> T insist(boolean patient, Supplier<T> beginning) {
        while (true) {
            try {
                return beginning.get();
            } catch (SagaStoreException | SagaConfigurationException e) {
                if (!patient) {
                    throw e;
                }
                log.info("not begun, trying again: {}", e.getMessage());
                try {
                    Thread.sleep(20);
                } catch (InterruptedException interrupted) {
                    throw e;
                }
            }
        }
    }

    private static Tuning tuning(NodeOptions options) {
        return Tuning.defaults()
                .withNodeId(options.node())
                .withWorkerThreads(options.number("workers"))
                .withLease(options.millis("lease-millis"), options.millis("poll-millis"))
                .withPatience(GRACE, Duration.ofSeconds(10));
    }

    /** Starts without a database, too, and does not wait long for one that is away. */
    static HikariDataSource pool(NodeOptions options, String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(options.text("user"));
        config.setPassword(options.text("password"));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(2000);
        config.setInitializationFailTimeout(-1);
        config.addDataSourceProperty("connectTimeout", "2");
        config.addDataSourceProperty("socketTimeout", "10");
        config.addDataSourceProperty("loginTimeout", "4");
        return new HikariDataSource(config);
    }

    /**
     * The engine.
     *
     * @return for operators
     */
    public SagaEngine engine() {
        return engine;
    }

    /**
     * The client of the engine.
     *
     * @return to start and cancel
     */
    public SagaClient client() {
        return engine.client();
    }

    /**
     * Its transactions.
     *
     * @return to join
     */
    public JdbcTransactions transactions() {
        return transactions;
    }

    /**
     * The client of the far ends.
     *
     * @return to mend them
     */
    public Far far() {
        return far;
    }

    Stocks stocks() {
        return stocks;
    }

    @Override
    public void close() {
        engine.close();
        database.close();
        farDatabase.close();
    }
}
