package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.store.Listening;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Tells other nodes that there is something to do, and hears it from them. */
final class Hints {
    /** Tells and hears nothing. */
    static final Hints NONE = new Hints(null, "", null);

    /** Sent by the server at the commit, to whoever listens then; several of one transaction are one. */
    private static final String NOTIFY = "select pg_notify(?, '')";

    private final @Nullable DataSource listening;
    private final String channel;
    private final @Nullable Sql sql;

    private Hints(@Nullable DataSource listening, String channel, @Nullable Sql sql) {
        this.listening = listening;
        this.channel = channel;
        this.sql = sql;
    }

    static Hints of(DataSource sagas, DataSource listening, Product product, SagaSchema.Options options, Sql sql) {
        if (product != Product.POSTGRESQL) {
            throw refused("the database is " + product + ", and only PostgreSQL has them");
        }
        if (SagaSchema.product(listening) != Product.POSTGRESQL) {
            throw refused("they are to be heard on another database");
        }
        if (!canHear(listening)) {
            throw refused("connections are not those of PostgreSQL's own driver");
        }
        String channel = PostgresHints.channel(SagaSchema.schema(sagas, options), options.tablePrefix());
        return new Hints(listening, channel, sql);
    }

    private static SagaConfigurationException refused(String why) {
        return new SagaConfigurationException("SAGA-CFG-020", "notifications cannot be used: " + why);
    }

    private static boolean canHear(DataSource listening) {
        try (Connection connection = listening.getConnection()) {
            return PostgresHints.canHear(connection);
        } catch (SQLException e) {
            return false;
        }
    }

    /** In the transaction of what was done, if anything was. */
    boolean after(boolean done, Connection connection) throws SQLException {
        if (done && sql != null) {
            sql.query(connection, NOTIFY, row -> true, channel);
        }
        return done;
    }

    Listening listen(Runnable hint) {
        return listening == null ? () -> {} : PostgresHints.listen(listening, channel, System::nanoTime, hint);
    }
}
