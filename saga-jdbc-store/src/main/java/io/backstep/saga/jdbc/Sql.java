package io.backstep.saga.jdbc;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Runs one statement: tables qualified, parameters bound, rows mapped. */
final class Sql {
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    interface Reader {
        void read(ResultSet row) throws SQLException;
    }

    private final String qualifier;
    private final Binding binding;
    private final Map<String, String> qualified = new ConcurrentHashMap<>();

    /** Every {@code {q}} in a statement stands for the schema and prefix, which {@link SagaSchema.Options} has checked. */
    Sql(SagaSchema.Options options, Product product) {
        this.qualifier = options.qualifier(product);
        this.binding = product.binding();
    }

    private String qualified(String statement) {
        return qualified.computeIfAbsent(statement, text -> text.replace("{q}", qualifier));
    }

    /** Runs statements without parameters or rows, in one round trip where the driver can. */
    void execute(Connection connection, String statements) throws SQLException {
        try (Statement plain = connection.createStatement()) {
            plain.execute(statements);
        }
    }

    /** The statement may be led by settings, which give no rows: all go to the database in one round trip. */
    <T> List<T> query(Connection connection, String statement, Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        List<T> all = new ArrayList<>();
        read(connection, statement, List.of(row -> all.add(mapper.map(row))), parameters);
        return all;
    }

    /** Several statements in one round trip, where the database can. The rows of each that gives rows are for the next reader. */
    void read(Connection connection, String statements, List<Reader> readers, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement prepared = prepare(connection, statements, parameters)) {
            boolean rows = prepared.execute();
            Iterator<Reader> next = readers.iterator();
            while (next.hasNext()) {
                while (!rows && prepared.getUpdateCount() >= 0) {
                    rows = prepared.getMoreResults();
                }
                each(prepared, next.next());
                rows = next.hasNext() && prepared.getMoreResults();
            }
        }
    }

    /** The same when the last of them is the commit: nobody knows whether it has come so far, unless the database says why not. */
    void readAndCommit(Connection connection, String statements, List<Reader> readers, @Nullable Object... parameters)
            throws SQLException {
        try {
            read(connection, statements, readers, parameters);
        } catch (SQLException e) {
            if (Failures.saysNothingWasDone(e)) {
                throw e;
            }
            throw Failures.onCommit(e);
        }
    }

    /** One write and the commit in one round trip, where the database can. */
    void updateAndCommit(Connection connection, String statement, @Nullable Object... parameters) {
        try {
            readAndCommit(connection, statement + PostgresDialect.COMMIT, List.of(), parameters);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    /**
     * Gives up after some seconds: an operator's question must not occupy the database. Leaves no limit on the connection, where
     * some drivers would keep it.
     */
    <T> List<T> queryWithin(
            int seconds, Connection connection, String statement, Mapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement prepared = prepare(connection, statement, parameters)) {
            int before = prepared.getQueryTimeout();
            prepared.setQueryTimeout(seconds);
            try {
                prepared.execute();
                List<T> all = new ArrayList<>();
                each(prepared, row -> all.add(mapper.map(row)));
                return all;
            } catch (SQLException e) {
                if (Failures.isStopped(e)) {
                    throw tooSlow(seconds, e);
                }
                throw e;
            } finally {
                prepared.setQueryTimeout(before);
            }
        }
    }

    private static SagaStoreException tooSlow(int seconds, SQLException cause) {
        return new SagaStoreException(
                "SAGA-DB-013",
                "the query was stopped; allowed are " + seconds + " s; ask for less, with more filters",
                Effect.NONE,
                cause);
    }

    private static void each(PreparedStatement prepared, Reader reader) throws SQLException {
        try (ResultSet rows = prepared.getResultSet()) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    int update(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement prepared = prepare(connection, statement, parameters)) {
            return prepared.executeUpdate();
        }
    }

    /** One statement for each set of parameters, in as few round trips as the driver can. */
    void updateAll(Connection connection, String statement, List<@Nullable Object[]> sets) throws SQLException {
        if (sets.isEmpty()) {
            return;
        }
        if (sets.size() == 1) {
            update(connection, statement, sets.get(0));
            return;
        }
        try (PreparedStatement prepared = connection.prepareStatement(binding.places(qualified(statement)))) {
            for (@Nullable Object[] parameters : sets) {
                binding.bind(prepared, parameters);
                prepared.addBatch();
            }
            prepared.executeBatch();
        } catch (BatchUpdateException e) {
            throw reason(e);
        }
    }

    /** What the database has said: not every driver says it again for the batch. */
    private static SQLException reason(BatchUpdateException failure) {
        SQLException reason = failure;
        while (reason instanceof BatchUpdateException && reason.getCause() instanceof SQLException cause) {
            reason = cause;
        }
        return reason;
    }

    private PreparedStatement prepare(Connection connection, String statement, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(binding.places(qualified(statement), parameters));
        try {
            prepared.setFetchSize(0); // all rows at once, whatever the URL says: a claim commits before they are read
            binding.bind(prepared, parameters);
            return prepared;
        } catch (SQLException | RuntimeException e) {
            prepared.close();
            throw e;
        }
    }
}
