package io.backstep.saga.chaos;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Keeps the tables of a run in files, for somebody to find out what happened. */
final class Dump {
    private Dump() {}

    static void to(Path folder, TestPostgres.Db database) throws IOException, SQLException {
        try (Connection connection = database.connect()) {
            for (List<String> table : Sql.rows(connection, """
                    select table_name from information_schema.tables where table_schema = 'public'
                      and table_name not in ('chaos_old_instance', 'chaos_old_history', 'saga_step_history', 'saga_instance')
                    """)) {
                dump(folder, connection, table.get(0));
            }
        }
    }

    private static void dump(Path folder, Connection connection, String table) throws IOException, SQLException {
        try (BufferedWriter out = Files.newBufferedWriter(folder.resolve(table + ".table"))) {
            for (List<String> row : Sql.rows(connection, "select * from " + table)) {
                out.write(String.join("\t", row).replace('\n', ' '));
                out.newLine();
            }
        }
    }
}
