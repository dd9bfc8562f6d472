package io.backstep.saga.benchmarks;

import io.backstep.saga.benchmarks.Contender.End;
import io.backstep.saga.benchmarks.Contender.Tally;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The JVM of one contender. Told by lines what to do; answers each with one line of JSON. */
final class Node {
    static final String ANSWER = "ANSWER ";

    private final Contenders contender;
    private final Server database;
    private @Nullable Contender running;
    private @Nullable ClosedLoop load;

    Node(Contenders contender, Server database) {
        this.contender = contender;
        this.database = database;
    }

    /**
     * Runs until nobody tells it anything any more.
     *
     * @param args the contender; URL, user and password of its database
     */
    public static void main(String[] args) {
        int status = 0;
        try {
            serve(args);
        } catch (Exception | Error e) {
            status = 1;
            System.err.println(args[0] + " fails");
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(status); // whatever threads there are
    }

    private static void serve(String[] args) throws Exception {
        Node node = new Node(Contenders.named(args[0]), new Server(args[1], args[2], args[3], null));
        JsonMapper json = new JsonMapper();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(ANSWER + json.writeValueAsString(node.does(line.split(" "))));
        }
    }

    /** One of: window WORKLOAD SETTLE MILLIS, fill SAGAS, open WORKLOAD, heap, load WORKLOAD MILLIS, measure MILLIS, end. */
    private @Nullable Object does(String[] command) throws Exception {
        switch (command[0]) {
            case "window" -> {
                return window(Workload.of(command[1]), millis(command[2]), millis(command[3]));
            }
            case "fill" -> fill(Long.parseLong(command[1]));
            case "heap" -> {
                return heapMegabytes();
            }
            case "measure" -> {
                return measure(millis(command[1]));
            }
            case "open" ->
                running = contender.open(database, Workload.of(command[1]).kind());
            case "end" -> end();
            case "load" -> load(Workload.of(command[1]), millis(command[2]));
            default -> throw new IllegalArgumentException(command[0]);
        }
        return null;
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    /** Opens the contender, warms it up, measures, lets everything end, and looks whether it ended as it must. */
    Sample window(Workload workload, Duration settle, Duration length) throws Exception {
        try (Contender running = contender.open(database, workload.kind())) {
            Tally before = running.tally();
            ClosedLoop loop = new ClosedLoop(running, workload);
            Window window;
            Spent spent;
            try (loop) {
                loop.measure(settle);
                database.execute("checkpoint");
                Spent from = Spent.until(database);
                window = loop.measure(length);
                spent = Spent.until(database).since(from);
            }
            check(workload.kind().end(), loop.started(), before, running.tally());
            database.execute("vacuum analyze"); // else autovacuum does it in the windows of others
            return Sample.of(window, spent, heapMegabytes(), before.completed() + before.compensated());
        }
    }

    private static void check(End expected, long started, Tally before, Tally after) {
        long completed = after.completed() - before.completed();
        long compensated = after.compensated() - before.compensated();
        boolean fine = after.open() == 0
                && completed == (expected == End.COMPLETED ? started : 0)
                && compensated == (expected == End.COMPENSATED ? started : 0);
        if (!fine) {
            throw new IllegalStateException("of " + started + " sagas, all of which must be " + expected
                    + ", the database has " + completed + " completed, " + compensated + " compensated and "
                    + after.open() + " that have not ended");
        }
    }

    private static double heapMegabytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024.0 / 1024;
    }

    /** The engine makes its tables and its definition known first. */
    private void fill(long sagas) throws Exception {
        contender.open(database, Kind.HAPPY).close();
        Filling.finished(database, sagas);
    }

    /** Goes on when this has returned, until its end or that of the JVM. */
    private void load(Workload workload, Duration length) throws Exception {
        Contender opened = contender.open(database, workload.kind());
        running = opened;
        ClosedLoop loop = new ClosedLoop(opened, workload);
        load = loop;
        loop.measure(length);
    }

    /** A window of the load that is on; its heap is that of the sagas under way. Others may be at work on the same database. */
    private Sample measure(Duration length) throws Exception {
        Spent from = Spent.until(database);
        Window window = Objects.requireNonNull(load).measure(length);
        Spent spent = Spent.until(database).since(from);
        return Sample.of(window, spent, heapMegabytes(), 0);
    }

    private void end() throws Exception {
        Objects.requireNonNull(load).close();
        Objects.requireNonNull(running).close();
    }

    /** How many sagas of a database have not ended. */
    static long open(Server database) throws SQLException {
        return database.tally("select 0, 0, count(*) from saga_instance where due_at is not null")
                .open();
    }
}
