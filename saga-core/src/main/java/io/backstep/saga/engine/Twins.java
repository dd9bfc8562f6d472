package io.backstep.saga.engine;

import io.backstep.saga.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices another node of the same id, which does no harm: the owner of a saga is an id and an incarnation. But in logs and in the
 * history the two cannot be told apart.
 */
final class Twins {
    private static final Logger log = LoggerFactory.getLogger(Twins.class);
    private static final int LEASES = 3;

    private final String owner;
    private final String nodeId;
    private final MonotonicClock clock;
    private final long from;
    private final AtomicBoolean told = new AtomicBoolean();

    Twins(String owner, String nodeId, MonotonicClock clock, Duration lease) {
        this.owner = owner;
        this.nodeId = nodeId;
        this.clock = clock;
        this.from = clock.nanos() + lease.multipliedBy(LEASES).toNanos();
    }

    /**
     * Looks at who owns a saga. At first it may be this node's former incarnation, which has not been replaced yet.
     *
     * @return true when it told of another node, which it does once
     */
    boolean look(@Nullable String other) {
        boolean twin = other != null && !other.equals(owner) && other.startsWith(nodeId + "/");
        if (!twin || clock.nanos() - from < 0 || !told.compareAndSet(false, true)) {
            return false;
        }
        log.warn(
                "SAGA-CFG-015: another node that runs is called {} as well ({}); both work, but give each a node id of its own",
                nodeId,
                other);
        return true;
    }
}
