package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaEngineBuilder;
import io.backstep.saga.engine.Tuning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A database, and nodes on it, each with a pool of its own, as if each were a process. */
final class Nodes { // not AutoCloseable: JUnit would close it after each call that it is an argument of
    static final Tuning QUICK = Tuning.defaults()
            .withLease(Duration.ofSeconds(10), Duration.ofMillis(20))
            .withPatience(Duration.ofSeconds(5), Duration.ofSeconds(60));

    final String product;
    final TestDatabase database;
    final HikariDataSource pool;
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    /** Engine, transactions and pool. */
    record Node(SagaEngine engine, JdbcTransactions transactions, JdbcSagaStore store, HikariDataSource pool) {
        SagaClient client() {
            return engine.client();
        }

        /** As SIGKILL: whatever it does from now on reaches no database. */
        void kill() {
            pool.close();
        }
    }

    Nodes(String product, TestDatabase database) {
        this.product = product;
        this.database = database;
        this.pool = database.pool();
        SagaSchema.migrate(pool);
        TestDatabase.execute(pool, "create table business (id varchar(60) primary key)");
    }

    static List<Nodes> all() {
        return Stream.concat(
                        Stream.of(new Nodes("PostgreSQL", TestDatabase.postgres()), new Nodes("H2", TestDatabase.h2())),
                        TestDatabase.mariaDbIfThere().map(database -> new Nodes("MariaDB", database)))
                .toList();
    }

    Node node(SagaDefinition<?> definition) {
        Node node = made(QUICK, source -> source, builder -> {}, transactions -> definition);
        node.engine.start();
        return node;
    }

    Node node(Tuning tuning, Function<JdbcTransactions, SagaDefinition<?>> definition) {
        Node node = made(tuning, source -> source, builder -> {}, definition);
        node.engine.start();
        return node;
    }

    /** Its calls of the database go through something. */
    Node node(UnaryOperator<DataSource> through, SagaDefinition<?> definition) {
        Node node = made(QUICK, through, builder -> {}, transactions -> definition);
        node.engine.start();
        return node;
    }

    /** Its calls of the database go through something, and its definition uses its transactions. */
    Node node(UnaryOperator<DataSource> through, Function<JdbcTransactions, SagaDefinition<?>> definition) {
        Node node = made(QUICK, through, builder -> {}, definition);
        node.engine.start();
        return node;
    }

    Node notStarted(Tuning tuning, SagaDefinition<?> definition) {
        return made(tuning, source -> source, builder -> {}, transactions -> definition);
    }

    /** It starts sagas, calls nothing, and renews nothing. */
    Node dying(Duration lease, SagaDefinition<?> definition) {
        Node node = made(
                Tuning.defaults().withNodeId("dead").withLease(lease, Duration.ofHours(1)),
                source -> source,
                builder -> builder.executor(next -> {}).timer((delay, next) -> () -> {}),
                transactions -> definition);
        open.remove(node.engine);
        node.engine.start();
        return node;
    }

    private Node made(
            Tuning tuning,
            UnaryOperator<DataSource> through,
            Consumer<SagaEngineBuilder> ports,
            Function<JdbcTransactions, SagaDefinition<?>> definition) {
        HikariDataSource own = database.pool();
        DataSource source = through.apply(own);
        JdbcTransactions transactions = new JdbcTransactions(source);
        JdbcSagaStore store = JdbcSagaStore.create(source, transactions);
        SagaEngineBuilder builder =
                SagaEngine.builder().store(store).transactions(transactions).tuning(tuning);
        ports.accept(builder);
        SagaEngine engine = builder.build();
        engine.register(definition.apply(transactions));
        open.add(0, own);
        open.add(0, engine);
        return new Node(engine, transactions, store, own);
    }

    /** An id as this database takes it. */
    Object parameter(UUID id) {
        return product.equals("MariaDB") ? Binding.Bytes.bytes(id) : id;
    }

    void execute(String statement, Object... parameters) {
        TestDatabase.execute(pool, statement, parameters);
    }

    int count(String query, Object... parameters) {
        return Integer.parseInt(TestDatabase.strings(pool, query, parameters).get(0));
    }

    /** Stops the nodes; the database stays. */
    void stopAll() throws Exception {
        List<AutoCloseable> all = new ArrayList<>(open);
        open.clear();
        for (AutoCloseable one : all) {
            one.close();
        }
    }

    void close() throws Exception {
        stopAll();
        pool.close();
    }

    @Override
    public String toString() {
        return product;
    }
}
