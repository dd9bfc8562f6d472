package io.backstep.saga.chaos;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Collectors;

/** Replaces the nodes, one after the other, by those of the next release. */
final class Deploys {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final String UNKNOWN = """
            select count(*) from saga_instance i join saga_definition d on d.id = i.definition_id
              where i.status in ('RUNNING', 'COMPENSATING') and d.name = '%s' and d.version not in (%s)
            """;

    private final Cluster cluster;
    private final Duration every;
    private final Injected injected;
    private long begun = System.nanoTime();
    private int count;

    Deploys(Cluster cluster, Duration every, Injected injected) {
        this.cluster = cluster;
        this.every = every;
        this.injected = injected;
    }

    long pauseMillis() {
        return Math.max(1, (begun + every.toNanos() - System.nanoTime()) / 1_000_000);
    }

    /** The next one of the cycle. */
    void next() throws IOException, InterruptedException, SQLException {
        begun = System.nanoTime();
        Release release = Release.CYCLE.get(count++ % Release.CYCLE.size());
        roll(cluster, release, injected);
        injected.add("deploy" + release.suffix() + " of all nodes", 1);
        injected.add("sagas that no node knew after a deploy", unknown(release));
    }

    /** Each stops with grace, and the next one goes when its successor serves, or is killed too often for that. */
    static void roll(Cluster cluster, Release release, Injected injected) throws IOException, InterruptedException {
        for (Slot slot : cluster.slots()) {
            slot.release(release);
            injected.add(slot.stopAndStart() ? Faults.STOPPED : Faults.NOT_STOPPED, 1);
            long end = System.nanoTime() + PATIENCE_NANOS;
            while (!slot.ready() && System.nanoTime() < end) {
                Thread.sleep(20);
            }
        }
    }

    private long unknown(Release release) throws SQLException {
        String known = release.versions().stream().map(String::valueOf).collect(Collectors.joining(", "));
        try (Connection connection = cluster.database().connect()) {
            return Sql.number(connection, String.format(UNKNOWN, Deployed.SHAPE, known));
        }
    }
}
