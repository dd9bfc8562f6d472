package io.backstep.saga.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes the tables: the engine's, those that the checks need beside them, and those of the far ends. */
public final class ChaosTables {
    private ChaosTables() {}

    /**
     * Makes them all.
     *
     * @param database an empty database for the sagas
     * @param far an empty database for the far ends; may be the same
     * @throws SQLException when a database refuses
     */
    public static void create(TestPostgres.Db database, TestPostgres.Db far) throws SQLException {
        NodeOptions options = NodeOptions.defaults();
        try (HikariDataSource dataSource = ChaosNode.pool(options, database.url(), 3)) {
            SagaSchema.migrate(dataSource);
            Sql.execute(database, Sql.resource("near.sql"));
            if (!far.equals(database)) {
                Sql.execute(database, Sql.resource("far.sql")); // the checks look at a copy
            }
            Sql.execute(far, Sql.resource("far.sql"));
            try (Connection connection = dataSource.getConnection()) {
                describe(connection, new JdbcTransactions(dataSource), dataSource);
            }
            Sql.execute(database, "insert into chaos_stock select item, available from saga_stock");
        }
    }

    private static void describe(Connection connection, JdbcTransactions transactions, HikariDataSource dataSource)
            throws SQLException {
        Far far = new Far(dataSource, "", RealClock.measured(), Failpoints.NONE);
        Near near = new Near(transactions, Failpoints.NONE);
        Stocks stocks = new Stocks(dataSource, transactions, far, Failpoints.NONE);
        stocks.fill();
        List<SagaDefinition<?>> definitions = new ArrayList<>(new Shapes(far, near, stocks).definitions());
        Deployed deployed = new Deployed(far, near, Duration.ofSeconds(1));
        Release.V1_V2.versions().forEach(version -> definitions.add(deployed.version(version)));
        try (PreparedStatement insert =
                connection.prepareStatement("insert into chaos_step values (?, ?, ?, ?, ?, ?, ?)")) {
            for (SagaDefinition<?> definition : definitions) {
                for (StepDefinition step : definition.steps()) {
                    insert.setString(1, definition.toString());
                    insert.setString(2, step.name());
                    insert.setInt(3, definition.indexOf(step.name()));
                    insert.setString(4, step.confirming() == null ? step.kind().name() : "TCC");
                    insert.setBoolean(5, step.transactional());
                    insert.setBoolean(6, Shapes.careful(step.name()));
                    insert.setBoolean(7, step.compensation() != null);
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }
}
