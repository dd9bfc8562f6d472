package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaException;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's prepared transactions. All but {@link #prepare} work outside transactions, on connections of their own. */
final class PreparedStatements {
    static final String COMMIT = "commit prepared";
    static final String ROLLBACK = "rollback prepared";

    private static final String FIND =
            "select 1 from pg_prepared_xacts where gid = ? and database = current_database()";

    private static final String ORPHANS = """
            select gid, prepared from pg_prepared_xacts
              where database = current_database() and owner = current_user and starts_with(gid, ?)
                and prepared <= clock_timestamp() - ? * interval '1 microsecond'
              order by prepared
            """;

    private static final String MOST = "select current_setting('max_prepared_transactions')";

    /** Prepared transactions are switched off, or another session is just ending this one. */
    private static final String NOT_IN_THIS_STATE = "55000";

    private static final String NO_SUCH = "42704";
    private static final String TOO_MANY = "53200";

    private final DataSource dataSource;

    PreparedStatements(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** For each lock, in the transaction that the connection is in. */
    static void waitAtMost(Connection connection, Duration patience) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local lock_timeout = " + Math.min(patience.toMillis(), Integer.MAX_VALUE));
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    /** Ends the transaction that the connection is in, if it can be prepared. In one that has failed PostgreSQL would say nothing. */
    static void prepare(Connection connection, String gid) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("prepare transaction '" + gid + "'");
        } catch (SQLException e) {
            throw notPrepared(e);
        }
    }

    private static SagaException notPrepared(SQLException cause) {
        String state = String.valueOf(cause.getSQLState());
        if (state.equals(NOT_IN_THIS_STATE)) {
            return off(cause);
        }
        if (state.equals(TOO_MANY)) {
            return new SagaStoreException(
                    "SAGA-TPC-001",
                    "no further transaction can be prepared, max_prepared_transactions are; nothing was done; try again later: "
                            + cause.getMessage(),
                    Effect.NONE,
                    cause);
        }
        return Failures.saysNothingWasDone(cause) ? Failures.beforeCommit(cause) : Failures.onCommit(cause);
    }

    private static SagaConfigurationException off(@Nullable SQLException cause) {
        return new SagaConfigurationException(
                "SAGA-CFG-022",
                "the participant's database has max_prepared_transactions = 0: set it to more than can be prepared at once,"
                        + " and restart the server",
                cause);
    }

    /** False when there is no such transaction. */
    boolean finish(String how, String gid) {
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true); // its pool, which has set it, sets it again
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute(how + " '" + gid + "'");
                return true;
            }
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.equals(NO_SUCH)) {
                return false;
            }
            if (state.equals(NOT_IN_THIS_STATE)) {
                throw new OperationBusyException("prepared transaction " + gid, false, e);
            }
            throw Failures.saysNothingWasDone(e) ? Failures.beforeCommit(e) : Failures.onCommit(e);
        }
    }

    boolean isThere(String gid) {
        return !query(FIND, row -> row.getInt(1), gid).isEmpty();
    }

    record Found(String gid, Instant preparedAt) {}

    List<Found> olderThan(Duration age, String prefix) {
        return query(
                ORPHANS,
                row -> {
                    Timestamp prepared = row.getTimestamp("prepared");
                    return new Found(row.getString("gid"), prepared.toInstant());
                },
                prefix,
                Rows.micros(age));
    }

    void requireOn() {
        if (query(MOST, row -> row.getString(1)).get(0).equals("0")) {
            throw off(null);
        }
    }

    private <T> List<T> query(String query, Sql.Mapper<T> mapper, Object... values) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement prepared = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++) {
                prepared.setObject(i + 1, values[i]);
            }
            List<T> all = new ArrayList<>();
            try (ResultSet rows = prepared.executeQuery()) {
                while (rows.next()) {
                    all.add(mapper.map(rows));
                }
            }
            return all;
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }
}
