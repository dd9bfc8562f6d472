package io.backstep.saga.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What has been spent so far.
 *
 * @param jvm this JVM's CPU, in milliseconds
 * @param server the CPU of all of PostgreSQL's processes, in milliseconds; 0 when they are not on this machine
 * @param wal all of the server's WAL, in bytes, full-page writes included
 * @param fullPages how many full-page images are in it, of 8 kB at most
 * @param commits transactions committed in this database
 */
record Spent(double jvm, double server, double wal, double fullPages, double commits) {
    private static final double TICK_MILLIS = 10; // USER_HZ is 100 on Linux
    private static final int PARENT = 1;
    private static final int USER = 11;
    private static final int OWN = 2;
    private static final int WITH_CHILDREN = 4;

    private static final String SERVER = """
            select pg_backend_pid(), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'),
                (select wal_fpi from pg_stat_wal),
                (select xact_commit from pg_stat_database where datname = current_database())
            """;

    static Spent until(Server database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SERVER)) {
            row.next();
            OperatingSystemMXBean jvm = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new Spent(
                    jvm.getProcessCpuTime() / 1e6,
                    serverMillis(row.getInt(1)),
                    row.getDouble(2),
                    row.getDouble(3),
                    row.getDouble(4));
        }
    }

    Spent since(Spent before) {
        return new Spent(
                jvm - before.jvm,
                server - before.server,
                wal - before.wal,
                fullPages - before.fullPages,
                commits - before.commits);
    }

    /** The postmaster, what its ended processes have used, and those that run. */
    private static double serverMillis(int backend) {
        String[] self = stat(Path.of("/proc", Integer.toString(backend)));
        if (self.length == 0) {
            return 0;
        }
        String postmaster = self[PARENT];
        double ticks = ticks(stat(Path.of("/proc", postmaster)), WITH_CHILDREN);
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                String[] stat = stat(process);
                if (stat.length > 0 && stat[PARENT].equals(postmaster)) {
                    ticks += ticks(stat, OWN);
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return ticks * TICK_MILLIS;
    }

    private static double ticks(String[] stat, int fields) {
        double sum = 0;
        for (int i = 0; i < fields && stat.length > 0; i++) {
            sum += Double.parseDouble(stat[USER + i]);
        }
        return sum;
    }

    /** What follows the name of the process, which may have spaces; nothing when it is gone. */
    private static String[] stat(Path process) {
        try {
            String line = Files.readString(process.resolve("stat"));
            return line.substring(line.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return new String[0];
        }
    }
}
