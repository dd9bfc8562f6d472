package io.backstep.saga.admin;

import io.backstep.saga.Shown;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.Purged;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes sagas that ended long ago: walks through the table in slices, each a transaction of its own, again and again. Several nodes
 * may do so at once. Only what is of the node's own types goes, in whatever version: the tables may be shared with other
 * services, whose ages are their own. Business keys are free again afterwards.
 */
public final class SagaRetention implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SagaRetention.class);

    /** Between two slices, so that live traffic comes first. */
    private static final Duration BREATH = Duration.ofMillis(50);

    private static final Duration AGAIN = Duration.ofSeconds(5);

    private static final int LONGEST_ERROR = 1000;
    private static final int MOST_TOLD = 1000;
    private static final int MOST_IN_VAIN = 20;

    private final Operators operators;
    private final RetentionPolicy policy;
    private volatile boolean running;
    private volatile Timer.Scheduled next = () -> {};
    private @Nullable UUID last;
    private long deleted;
    private int failures;

    /** So many rows are still looked at one by one: among them is one that cannot be deleted. */
    private int alone;

    /** So many rows were passed over since one could be deleted. */
    private int inVain;

    private final Set<UUID> told = new HashSet<>();

    private SagaRetention(SagaEngine engine, RetentionPolicy policy) {
        this.operators = engine.operators();
        this.policy = policy;
    }

    /**
     * Makes one; nothing is deleted yet.
     *
     * @param engine the node
     * @param policy what is deleted when
     * @return the retention
     */
    public static SagaRetention of(SagaEngine engine, RetentionPolicy policy) {
        return new SagaRetention(engine, policy);
    }

    /** Begins to delete in the background, after a part of the interval. */
    public void start() {
        if (!policy.ages().isEmpty() && !running) {
            running = true;
            schedule(operators.spread(policy.interval().dividedBy(10)));
        }
    }

    /** Stops after the slice that is under way. */
    @Override
    public void close() {
        running = false;
        next.cancel();
    }

    /**
     * Walks through the whole table once, on the calling thread. The node's types are known once it has been started.
     *
     * @return how many sagas were deleted
     */
    public long run() {
        long all = 0;
        UUID after = null;
        do {
            Purged purged = operators.purge(policy.ages(), after, policy.batch());
            all += purged.sagas();
            after = purged.last();
        } while (after != null);
        return all;
    }

    private void schedule(Duration pause) {
        if (running) {
            next = operators.later(pause, this::slice);
        }
    }

    /** One at a time: the next is scheduled when this one has ended. */
    private void slice() {
        if (!running) {
            return;
        }
        try {
            int rows = alone > 0 ? 1 : policy.batch();
            Purged purged = operators.purge(policy.ages(), last, rows);
            deleted += purged.sagas();
            inVain = purged.sagas() == 0 ? inVain : 0;
            passTo(purged);
            if (last == null && deleted > 0) {
                log.info("{} sagas that ended long ago were deleted", deleted);
                deleted = 0;
            }
            schedule(last == null ? operators.spread(policy.interval()) : BREATH);
            failures = 0;
        } catch (Throwable e) {
            failures++;
            schedule(afterFailure(e));
        }
    }

    private void passTo(Purged purged) {
        last = purged.last();
        alone = last == null ? 0 : Math.max(0, alone - 1);
    }

    /**
     * The first failure may be a deadlock or a lost connection; and of an outage the engine tells. Else a row among many cannot be
     * deleted, since something refers to it: the others are deleted one by one, and it is passed over. Where none of many
     * can be deleted, it is not the rows.
     */
    private Duration afterFailure(Throwable failure) {
        if (failures == 1 || operators.isOutage()) {
            return operators.spread(AGAIN.compareTo(policy.interval()) < 0 ? AGAIN : policy.interval());
        }
        if (alone == 0 && policy.batch() > 1) {
            alone = policy.batch();
            return BREATH;
        }
        return passOver(failure);
    }

    private Duration passOver(Throwable failure) {
        try {
            Purged nothing = operators.purge(Map.of(), last, 1);
            tell(nothing.last(), failure);
            passTo(nothing);
            failures = 0;
            inVain++;
            return inVain % Math.max(policy.batch(), MOST_IN_VAIN) == 0 ? atTheNextInterval(failure) : BREATH;
        } catch (Throwable e) {
            return atTheNextInterval(failure);
        }
    }

    private Duration atTheNextInterval(Throwable failure) {
        Duration pause = operators.spread(policy.interval());
        log.warn("SAGA-DB-014: finished sagas could not be deleted; the next try is in {}", pause, failure);
        return pause;
    }

    private void tell(@Nullable UUID sagaId, Throwable failure) {
        if (sagaId != null && told.size() < MOST_TOLD && told.add(sagaId)) {
            log.warn(
                    "SAGA-DB-014: saga {} could not be deleted, and is passed over each time: {}",
                    sagaId,
                    Shown.line(String.valueOf(failure.getMessage()), LONGEST_ERROR));
        }
    }
}
