package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.CheckResult;
import io.backstep.saga.chaos.Checker;
import io.backstep.saga.chaos.Sql;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What the cases have left in a database and in the files beside it; as SQL, and never by asking the engine. */
final class Evidence {
    private static final String TABLE =
            "create table failpoint_taken (saga_id uuid not null, epoch bigint not null, node text not null)";
    private static final String ACTIVE =
            "select saga_id, status, owner, due_at - clock_timestamp() as due_in, epoch, seq from chaos_active";
    private static final String EPOCH_TAKEN_TWICE = "select saga_id, epoch, string_agg(node, ', ') from failpoint_taken"
            + " group by saga_id, epoch having count(*) > 1";
    private static final String EPOCH_NOT_RAISED = "select t.saga_id, t.epoch, t.node from failpoint_taken t"
            + " where not exists (select 1 from chaos_write w where w.saga_id = t.saga_id and w.epoch = t.epoch)"
            + " or exists (select 1 from chaos_write w where w.saga_id = t.saga_id and w.epoch = t.epoch and w.owner is not null"
            + " and w.id = (select min(f.id) from chaos_write f where f.saga_id = t.saga_id))";
    private static final long PATIENCE_SECONDS = 60;

    private final TestPostgres.Db database;
    private final Path folder;

    private Evidence(TestPostgres.Db database, Path folder) {
        this.database = database;
        this.folder = folder;
    }

    static Evidence in(TestPostgres.Db database, Path folder) throws SQLException {
        Sql.execute(database, TABLE);
        return new Evidence(database, folder);
    }

    /** Waits until nothing is under way; gives what still is. */
    List<String> awaitQuiet() throws SQLException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        try (Connection connection = database.connect()) {
            List<List<String>> active = Sql.rows(connection, ACTIVE);
            while (!active.isEmpty() && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(10);
                active = Sql.rows(connection, ACTIVE);
            }
            return active.stream().map(row -> "still active: " + row).toList();
        }
    }

    /** Nothing may be under way. */
    List<String> troubles(Case played, String key) throws Exception {
        List<String> troubles = new ArrayList<>();
        for (CheckResult result : new Checker(database, database, folder, Duration.ZERO).run()) {
            if (!result.holds()) {
                troubles.add(result.toString());
            }
        }
        try (Connection connection = database.connect()) {
            troubles.addAll(ends(connection, played.scenario(), key));
            load(connection);
            Sql.rows(connection, EPOCH_TAKEN_TWICE).forEach(row -> troubles.add("an epoch was taken twice: " + row));
            Sql.rows(connection, EPOCH_NOT_RAISED).forEach(row -> troubles.add("taken without a new epoch: " + row));
        }
        return troubles;
    }

    /** A purged saga has given its key free: who asks again for it gets a new one. */
    private static List<String> ends(Connection connection, Scenario scenario, String key) throws SQLException {
        List<String> troubles = new ArrayList<>();
        List<List<String>> sagas = Sql.rows(
                connection,
                "select status, deleted_at is not null, saga_id from chaos_instance where business_key = '" + key
                        + "'");
        if (sagas.isEmpty() || (sagas.size() > 1 && scenario != Scenario.PURGED)) {
            troubles.add("sagas of the key: " + sagas);
        }
        for (List<String> saga : sagas) {
            if (!scenario.ends().contains(saga.get(0))) {
                troubles.add("it ends " + scenario.ends() + ", and not " + saga);
            }
            if (saga.get(1).equals("t") != (scenario == Scenario.PURGED)) {
                troubles.add("purged, or not: " + saga);
            }
        }
        return troubles;
    }

    private void load(Connection connection) throws IOException, SQLException {
        try (Stream<Path> files = Files.list(folder);
                PreparedStatement insert =
                        connection.prepareStatement("insert into failpoint_taken values (?, ?, ?)")) {
            Sql.execute(database, "truncate failpoint_taken");
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".taken")).toList()) {
                String text = Files.readString(file);
                for (String line :
                        text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                    insert.setObject(1, UUID.fromString(line.split(" ")[0]));
                    insert.setLong(2, Long.parseLong(line.split(" ")[1]));
                    insert.setString(3, file.getFileName().toString());
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
    }
}
