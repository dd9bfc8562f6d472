package io.backstep.saga.jdbc;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The library's own tables: made by its own migrations, with a history table of their own, beside whatever the application has. */
public final class SagaSchema {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,30}");

    /** Finds the tables of version 1 that were made by hand: without a history. */
    private static final String TABLES = """
            select '1' from (select count(*) from {q}instance i
              join {q}definition d on d.id = i.definition_id join {q}type t on t.id = d.type_id
              join {q}step_history h on h.saga_id = i.saga_id join {q}compensation_log c on c.saga_id = i.saga_id
              join {q}signal s on s.saga_id = i.saga_id join {q}audit a on a.saga_id = i.saga_id
              cross join {q}guard g cross join {q}idempotency k
              cross join {q}stock w cross join {q}reservation r
              cross join {q}outbox o cross join {q}outbox_lane l where 1 = 0) nothing
            """;

    private static final String FOR_PARTICIPANTS = "-- for participants";

    private static final Pattern PASSWORD = Pattern.compile("(?i)((?:password|pwd)\\s*=\\s*)[^&;,\\s)]+");

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private SagaSchema() {}

    /**
     * Where the tables are.
     *
     * @param tablePrefix begins the names of all tables
     * @param schema the schema, spelled as the database spells it (case counts), or null for the connection's own; made when absent
     */
    public record Options(String tablePrefix, @Nullable String schema) {
        /** Tables named {@code saga_...} in the connection's own schema. */
        public static final Options DEFAULT = new Options("saga_", null);

        /**
         * Checks both names.
         *
         * @throws SagaConfigurationException {@code SAGA-CFG-004}
         */
        public Options {
            check("saga.schema.table-prefix", tablePrefix);
            if (schema != null) {
                check("saga.schema.name", schema);
            }
        }

        /**
         * Makes options.
         *
         * @param tablePrefix begins the names of all tables
         * @param schema the schema, or null for the connection's own
         * @return the options
         */
        public static Options of(String tablePrefix, @Nullable String schema) {
            return new Options(tablePrefix, schema);
        }

        private static void check(String what, String name) {
            if (!IDENTIFIER.matcher(name).matches() || ReservedWords.contain(name)) {
                throw new SagaConfigurationException(
                        "SAGA-CFG-004",
                        what + " is " + Shown.quoted(name)
                                + "; allowed are a letter or underscore, then up to 30 letters, digits or underscores,"
                                + " but no reserved word of SQL");
            }
        }

        /** What stands before every table name. */
        String qualifier(Product product) {
            return inSchema(product, tablePrefix);
        }

        /** The table of the migrations' history. */
        String history(Product product) {
            return inSchema(product, product.quoted(tablePrefix + "schema_history"));
        }

        private String inSchema(Product product, String name) {
            return schema == null ? name : product.quoted(schema) + "." + name;
        }

        /** The tables as they are shown to people. */
        String shown() {
            return (schema == null ? "" : schema + ".") + tablePrefix + "...";
        }
    }

    /**
     * Brings the default tables up to date.
     *
     * @param dataSource the database
     */
    public static void migrate(DataSource dataSource) {
        migrate(dataSource, Options.DEFAULT);
    }

    /**
     * Brings the tables up to date. Safe to be called by several nodes at once, and beside other migrations in the same schema.
     *
     * @param dataSource the database
     * @param options where the tables are
     * @throws SagaConfigurationException {@code SAGA-CFG-002} for a database that is not supported, {@code SAGA-CFG-003} when the
     *     tables could not be brought up to date
     */
    public static void migrate(DataSource dataSource, Options options) {
        migrate(dataSource, options, PATIENCE);
    }

    /**
     * Brings the tables up to date, see {@link #migrate(DataSource, Options)}. Tables that are up to date need no lock.
     *
     * @param dataSource the database
     * @param options where the tables are
     * @param patience how long a migration of another node is waited for; at least a second
     * @throws SagaConfigurationException {@code SAGA-CFG-002} for a database that is not supported, {@code SAGA-CFG-003} when the
     *     tables could not be brought up to date
     */
    public static void migrate(DataSource dataSource, Options options, Duration patience) {
        SchemaState state = state(dataSource, options);
        if (state.migratable()) {
            int seconds = (int) Math.max(1, Math.min(patience.toSeconds(), Integer.MAX_VALUE));
            Migration.run(dataSource, options, product(dataSource), seconds);
        }
        verify(dataSource, options);
    }

    /**
     * Checks that the tables are there and up to date, without changing anything.
     *
     * @param dataSource the database
     * @param options where the tables are
     * @throws SagaConfigurationException {@code SAGA-CFG-003} with the version that is there and the one that is needed
     */
    public static void verify(DataSource dataSource, Options options) {
        SchemaState state = state(dataSource, options);
        if (state.fault() != null) {
            throw new SagaConfigurationException("SAGA-CFG-003", "the tables " + options.shown() + " " + state.fault());
        }
    }

    private static SchemaState state(DataSource dataSource, Options options) {
        try (Connection connection = dataSource.getConnection()) {
            Product product = product(connection);
            String tables = TABLES.replace("{q}", options.qualifier(product));
            return SchemaState.of(connection, product, options.history(product), tables, script(product));
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    /**
     * The statements that make the default tables, to be applied by hand.
     *
     * @param database {@code postgresql}, {@code h2}, {@code mariadb} or {@code mysql}
     * @return SQL
     * @throws SagaConfigurationException {@code SAGA-CFG-002} for another database
     */
    public static String ddl(String database) {
        return filled(Product.named(database), 0);
    }

    /**
     * Those of the statements that a participant needs, for a database without sagas: the tables of the guard, of the
     * idempotency handler, of reservations and of the outbox. They are to be applied by hand, or by the participant's own migrations.
     *
     * @param database {@code postgresql}, {@code h2}, {@code mariadb} or {@code mysql}
     * @return SQL
     * @throws SagaConfigurationException {@code SAGA-CFG-002} for another database
     */
    public static String participantDdl(String database) {
        Product product = Product.named(database);
        return filled(product, script(product).indexOf(FOR_PARTICIPANTS));
    }

    private static String filled(Product product, int from) {
        return script(product)
                .substring(from)
                .replace("${q}", Options.DEFAULT.qualifier(product))
                .replace("${collation}", product.collation())
                .replace("${p}", Options.DEFAULT.tablePrefix());
    }

    private static String script(Product product) {
        String path = "schema/" + product.folder() + "/V1__saga.sql";
        try (InputStream file = SagaSchema.class.getResourceAsStream(path)) {
            if (file == null) {
                throw new IllegalStateException(path + " is missing");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Product product(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return product(connection);
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    /** In which the tables are, as the database spells it. */
    static String schema(DataSource dataSource, Options options) {
        if (options.schema() != null) {
            return options.schema();
        }
        try (Connection connection = dataSource.getConnection()) {
            return String.valueOf(connection.getSchema());
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    static Product product(Connection connection) throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        return Product.of(metaData.getDatabaseProductName(), metaData.getDatabaseProductVersion());
    }

    private static SagaConfigurationException unreachable(SQLException cause) {
        String what = Failures.isLoginRefused(cause)
                ? "the database refuses the login; user or password is wrong, or this user may not come from here: "
                : "the database does not answer: ";
        String message = withoutSecrets(cause.getMessage());
        boolean secret = !message.equals(cause.getMessage());
        return new SagaConfigurationException(
                "SAGA-CFG-014",
                what + message,
                secret ? new SQLException(message, cause.getSQLState(), cause.getErrorCode()) : cause);
    }

    /** Some drivers show the URL, which may have a password in it. */
    private static String withoutSecrets(@Nullable String message) {
        return PASSWORD.matcher(String.valueOf(message)).replaceAll("$1***");
    }
}
