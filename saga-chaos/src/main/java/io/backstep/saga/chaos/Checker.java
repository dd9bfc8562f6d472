package io.backstep.saga.chaos;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Checks what a run has left: {@code checks*.sql} over the tables, the log of the far ends, and the files of the processes. Never asks
 * the engine.
 */
public final class Checker {
    private static final int EXAMPLES = 10;
    private static final int MANY = 10_000;
    private static final int CHUNK = 1000;
    private static final String HEADER = "-- check: ";
    private static final List<String> FAR_TABLES = List.of("far_call", "far_effect", "far_healed");
    private static final Map<String, String> FILES = new LinkedHashMap<>();

    static {
        FILES.put("acknowledged", "insert into chaos_acknowledged values (?::uuid, ?, ?)");
        FILES.put("rolled-back", "insert into chaos_rolled_back values (?, ?)");
        FILES.put("operated", "insert into chaos_operated values (?::uuid, ?, ?, ?)");
        FILES.put("signalled", "insert into chaos_signalled values (?::uuid, ?, to_timestamp(?::bigint / 1e6), ?)");
        FILES.put("pauses", """
                insert into chaos_pause select node, to_timestamp(from_at::bigint / 1e6), to_timestamp(to_at::bigint / 1e6)
                  from (values (?, ?, ?, ?)) as p(node, from_at, to_at, file)
                """);
    }

    private final TestPostgres.Db database;
    private final TestPostgres.Db far;
    private final Path folder;
    private final Duration purgedAfter;

    /**
     * Makes one.
     *
     * @param database of the sagas
     * @param far of the far ends; may be the same
     * @param folder with the files of the processes
     * @param purgedAfter the age that what ended must have before it may be purged
     */
    public Checker(TestPostgres.Db database, TestPostgres.Db far, Path folder, Duration purgedAfter) {
        this.database = database;
        this.far = far;
        this.folder = folder;
        this.purgedAfter = purgedAfter;
    }

    /**
     * Runs all checks. Nothing may be under way.
     *
     * @return one result for each
     * @throws Exception when the databases or files cannot be read
     */
    public List<CheckResult> run() throws Exception {
        List<CheckResult> results = new ArrayList<>();
        try (Connection connection = database.connect()) {
            Sql.rows(connection, "select set_config('chaos.purged_after', '" + purgedAfter + "', false)");
            for (Map.Entry<String, String> kind : FILES.entrySet()) {
                load(connection, kind.getKey(), kind.getValue());
            }
            if (!far.equals(database)) {
                copyFar(connection);
            }
            if (Sql.number(connection, "select count(*) from (select from chaos_write limit " + MANY + ") w") == MANY) {
                Sql.execute(database, "analyze");
            }
            for (String block : (Sql.resource("checks.sql") + Sql.resource("checks-toolbox.sql")).split(HEADER)) {
                if (!block.startsWith("--")) {
                    results.add(check(connection, block));
                }
            }
        }
        return results;
    }

    private static CheckResult check(Connection connection, String block) throws SQLException {
        String[] parts = block.split("\n", 2);
        String query = parts[1].replaceAll("(?m)^--.*$", "").trim();
        List<List<String>> rows = Sql.rows(connection, query.replaceAll(";\\s*$", ""));
        List<String> examples = rows.stream()
                .limit(EXAMPLES)
                .map(row -> String.join(" | ", row))
                .toList();
        return new CheckResult(parts[0].trim(), rows.size(), examples);
    }

    private void load(Connection connection, String kind, String insert) throws IOException, SQLException {
        truncate(connection, "chaos_" + kind.replace("pauses", "pause").replace('-', '_'));
        try (Stream<Path> files = Files.list(folder);
                PreparedStatement row = connection.prepareStatement(insert)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith("." + kind)).toList()) {
                String name = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
                for (String line : wholeLines(file)) {
                    String[] words = (line + " " + name).split(" ");
                    for (int i = 0; i < words.length; i++) {
                        row.setString(i + 1, words[i]);
                    }
                    row.addBatch();
                }
            }
            row.executeBatch();
        }
    }

    /** A process may have died while it wrote its last line: then nobody was told. */
    private static List<String> wholeLines(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    private static void truncate(Connection connection, String table) throws SQLException {
        try (Statement truncate = connection.createStatement()) {
            truncate.execute("truncate " + table);
        }
    }

    private void copyFar(Connection connection) throws SQLException {
        try (Connection source = far.connect()) {
            source.setAutoCommit(false); // else the driver holds all rows at once
            for (String table : FAR_TABLES) {
                truncate(connection, table);
                copy(source, connection, table);
            }
        }
    }

    private static void copy(Connection from, Connection to, String table) throws SQLException {
        try (Statement query = from.createStatement()) {
            query.setFetchSize(CHUNK);
            try (ResultSet rows = query.executeQuery("select * from " + table)) {
                int columns = rows.getMetaData().getColumnCount();
                String places = String.join(", ", Collections.nCopies(columns, "?"));
                String insert = "insert into " + table + " overriding system value values (" + places + ")";
                try (PreparedStatement batch = to.prepareStatement(insert)) {
                    while (rows.next()) {
                        for (int i = 1; i <= columns; i++) {
                            batch.setObject(i, rows.getObject(i));
                        }
                        batch.addBatch();
                        if (rows.getRow() % CHUNK == 0) {
                            batch.executeBatch();
                        }
                    }
                    batch.executeBatch();
                }
            }
        }
    }
}
