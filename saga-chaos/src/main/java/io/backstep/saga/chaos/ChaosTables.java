package io.backstep.saga.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
                connection.prepareStatement("insert into chaos_step values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            for (SagaDefinition<?> definition : definitions) {
                for (StepDefinition step : definition.steps()) {
                    insert.setString(1, definition.toString());
                    insert.setString(2, step.name());
                    insert.setArray(3, connection.createArrayOf("text", awaited(definition, step)));
                    insert.setString(4, kind(step));
                    insert.setBoolean(5, step.transactional());
                    insert.setBoolean(6, Shapes.careful(step.name()));
                    insert.setBoolean(7, step.compensation() != null);
                    insert.setBoolean(8, step.condition() != null);
                    insert.setBoolean(9, step.probe() != null);
                    insert.setLong(10, millis(step.waiting()));
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }

    /** What is recorded before it; of best-effort steps that says nothing. */
    private static Object[] awaited(SagaDefinition<?> definition, StepDefinition step) {
        return step.waitsFor().stream()
                .filter(name -> definition.steps().get(definition.indexOf(name)).kind() != StepKind.BEST_EFFORT)
                .toArray();
    }

    private static String kind(StepDefinition step) {
        Waiting waiting = step.waiting();
        if (waiting != null) {
            return waiting.what().name();
        }
        if (step.child() != null) {
            return "CHILD";
        }
        if (step.name().equals(Toolbox.NEVER)) {
            return "NEVER";
        }
        return step.confirming() == null ? step.kind().name() : "TCC";
    }

    private static long millis(@Nullable Waiting waiting) {
        Duration time = waiting == null ? null : waiting.time();
        return time == null ? 0 : time.toMillis();
    }
}
