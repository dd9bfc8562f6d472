package io.backstep.saga.chaos;

import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.PostgresServer;
import io.backstep.saga.testsupport.TestPgBouncer;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The database that is harmed, the one of the far ends that is not, and nodes, each behind a proxy of its own. */
final class Cluster implements AutoCloseable {
    /** The age that sagas must have before a node purges them. */
    static final Duration PURGED_AFTER = Duration.ofSeconds(6);

    private final PostgresServer server;
    private final TestPostgres.Db database;
    private final TestPostgres.Db far = TestPostgres.fresh();
    private final List<CommitProxy> proxies = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private final boolean smallDisk;
    private @Nullable CommitProxy proxyOfPooler;

    Cluster(ChaosOptions options, Random random) throws IOException, SQLException, InterruptedException {
        smallDisk = options.megabytes() > 0;
        Map<String, String> settings = Map.of("max_wal_size", "128MB", "log_min_messages", "fatal");
        server = smallDisk
                ? PostgresServer.startOnSmallDisk(options.megabytes(), settings)
                : PostgresServer.start(settings);
        database = server.fresh();
        ChaosTables.create(database, far);
        NodeOptions told = told(options);
        List<String> flags = Archive.flags(told.with("url", database.url())
                .with("starts-per-second", 0)
                .with("operations-per-second", 0)
                .with("forgotten-per-second", 0));
        for (int i = 0; i < options.nodes(); i++) {
            slots.add(slot(options, i, told, flags, random));
        }
    }

    private NodeOptions told(ChaosOptions options) {
        List<String> shapes = new ArrayList<>();
        if (options.deploys()) {
            shapes.addAll(Collections.nCopies(Shapes.ALL.size(), Deployed.SHAPE)); // each second saga
        }
        shapes.addAll(Shapes.ALL);
        return NodeOptions.defaults()
                .with("far-url", far.url())
                .with("folder", options.folder())
                .with("starts-per-second", options.starts())
                .with("operations-per-second", Math.min(1, options.pace()))
                .with("forgotten-per-second", 2)
                .with("shapes", String.join(",", shapes))
                .with("purge-after-seconds", (int) PURGED_AFTER.toSeconds())
                .with("clock-offset", RealClock.measured().offsetMicros());
    }

    /** The last node's clock is wrong; the one before it goes through PgBouncer. */
    private Slot slot(ChaosOptions options, int i, NodeOptions told, List<String> flags, Random random)
            throws IOException {
        CommitProxy proxy = CommitProxy.before(database);
        proxies.add(proxy);
        TestPostgres.Db through = proxy.through(database);
        boolean pooled = i == options.nodes() - 2 && TestPgBouncer.isThere();
        proxyOfPooler = pooled ? proxy : proxyOfPooler;
        TestPostgres.Db seen = pooled ? TestPgBouncer.before(through) : through;
        NodeOptions mine = told.with("url", seen.url())
                .with("node", "n" + (i + 1))
                .with("release", options.deploys() ? Release.V1 : Release.NONE);
        return new Slot(mine, flags, i == options.nodes() - 1 && Slot.hasFaketime(), random);
    }

    PostgresServer server() {
        return server;
    }

    TestPostgres.Db database() {
        return database;
    }

    TestPostgres.Db far() {
        return far;
    }

    List<CommitProxy> proxies() {
        return proxies;
    }

    List<Slot> slots() {
        return slots;
    }

    boolean smallDisk() {
        return smallDisk;
    }

    @Nullable
    CommitProxy proxyOfPooler() {
        return proxyOfPooler;
    }

    static List<Path> files(Path folder, String kind) throws IOException {
        try (Stream<Path> all = java.nio.file.Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith("." + kind)).toList();
        }
    }

    /** Starts the server until it answers: it may have ended by itself, or be recovering. */
    void bringUp() throws InterruptedException {
        while (!server.isUp()) {
            try {
                server.start();
            } catch (IOException e) {
                Thread.sleep(100); // another process of it is still there
            }
        }
    }

    void killAll() {
        slots.forEach(Slot::kill);
    }

    @Override
    public void close() throws IOException {
        killAll();
        for (CommitProxy proxy : proxies) {
            proxy.close();
        }
        server.close();
    }
}
