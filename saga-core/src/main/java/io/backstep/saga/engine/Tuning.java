package io.backstep.saga.engine;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.time.Duration;

/**
 * The engine's settings. {@link #defaults()} suits most services; each {@code with...} gives a changed copy.
 *
 * @param nodeId names this node in owners, history and logs; 1 to 100 of {@code A-Z a-z 0-9 . _ -}; two nodes may share one
 * @param workerThreads how many attempts run at once, at least 1
 * @param lease how long a saga stays this node's after it is last heard of; at least 100 ms
 * @param pollInterval how often due sagas are looked for; 1 ms up to an hour
 * @param batchSize how many sagas a claim takes at most, 1 to 1000
 * @param shutdownGrace how long running attempts may go on after {@link SagaEngine#close()}
 * @param abandonAfter how long after its timeout an attempt is still waited for
 * @param maxBatch how many writes go into one commit at most, 1 to 1000
 * @param writers how many commits of progress and starts are under way at once, and as many of starts that may meet another one, 1 to 16
 * @param maxInFlight how many sagas this node has in memory before those who start one more must wait, at least 1
 * @param startTimeout how long they wait before they are refused; zero up to an hour
 */
public record Tuning(
        String nodeId,
        int workerThreads,
        Duration lease,
        Duration pollInterval,
        int batchSize,
        Duration shutdownGrace,
        Duration abandonAfter,
        int maxBatch,
        int writers,
        int maxInFlight,
        Duration startTimeout) {
    /**
     * Checks everything.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-005}, with all faults at once
     */
    public Tuning {
        Ranges ranges = new Ranges();
        ranges.check(
                "node-id",
                Shown.quoted(nodeId),
                nodeId.matches("[A-Za-z0-9._-]{1,100}"),
                "1 to 100 of A-Z a-z 0-9 . _ -");
        ranges.check("worker-threads", workerThreads, 1, Integer.MAX_VALUE);
        ranges.check("lease", lease, Duration.ofMillis(100), Duration.ofHours(1));
        ranges.check("poll-interval", pollInterval, Duration.ofMillis(1), Duration.ofHours(1));
        ranges.check("batch-size", batchSize, 1, 1000);
        ranges.check("shutdown-grace", shutdownGrace, Duration.ZERO, Duration.ofHours(1));
        ranges.check("abandon-after", abandonAfter, Duration.ZERO, Duration.ofDays(1));
        ranges.check("journal.max-batch", maxBatch, 1, 1000);
        ranges.check("journal.writers", writers, 1, 16);
        ranges.check("max-in-flight", maxInFlight, 1, Integer.MAX_VALUE);
        ranges.check("start-timeout", startTimeout, Duration.ZERO, Duration.ofHours(1));
        ranges.throwIfAny();
    }

    /**
     * Node {@code node}, 16 workers, lease 10 s, poll every second, batches of 50, grace 30 s, abandon after 60 s, 128 writes per
     * commit, 1 writer of progress and 1 of starts, 10,000 in flight before whoever starts waits, 10 s at most.
     *
     * @return the defaults
     */
    public static Tuning defaults() {
        return new Tuning(
                "node",
                16,
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                50,
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                128,
                1,
                10_000,
                Duration.ofSeconds(10));
    }

    /**
     * Changes the node id.
     *
     * @param id the id
     * @return a changed copy
     */
    public Tuning withNodeId(String id) {
        return new Tuning(
                id,
                workerThreads,
                lease,
                pollInterval,
                batchSize,
                shutdownGrace,
                abandonAfter,
                maxBatch,
                writers,
                maxInFlight,
                startTimeout);
    }

    /**
     * Changes the number of attempts that run at once.
     *
     * @param threads at least 1
     * @return a changed copy
     */
    public Tuning withWorkerThreads(int threads) {
        return new Tuning(
                nodeId,
                threads,
                lease,
                pollInterval,
                batchSize,
                shutdownGrace,
                abandonAfter,
                maxBatch,
                writers,
                maxInFlight,
                startTimeout);
    }

    /**
     * Changes lease and poll interval.
     *
     * @param length of the lease
     * @param poll how often due sagas are looked for
     * @return a changed copy
     */
    public Tuning withLease(Duration length, Duration poll) {
        return new Tuning(
                nodeId,
                workerThreads,
                length,
                poll,
                batchSize,
                shutdownGrace,
                abandonAfter,
                maxBatch,
                writers,
                maxInFlight,
                startTimeout);
    }

    /**
     * Changes how long running attempts are waited for.
     *
     * @param grace at shutdown
     * @param abandon after a timeout
     * @return a changed copy
     */
    public Tuning withPatience(Duration grace, Duration abandon) {
        return new Tuning(
                nodeId,
                workerThreads,
                lease,
                pollInterval,
                batchSize,
                grace,
                abandon,
                maxBatch,
                writers,
                maxInFlight,
                startTimeout);
    }

    /**
     * Changes how many sagas the node has in memory.
     *
     * @param most before starts wait
     * @param timeout after which they are refused
     * @return a changed copy
     */
    public Tuning withInFlight(int most, Duration timeout) {
        return new Tuning(
                nodeId,
                workerThreads,
                lease,
                pollInterval,
                batchSize,
                shutdownGrace,
                abandonAfter,
                maxBatch,
                writers,
                most,
                timeout);
    }
}
