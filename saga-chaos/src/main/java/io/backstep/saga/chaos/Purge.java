package io.backstep.saga.chaos;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Purged;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deletes what has ended some seconds ago, slice by slice; the ages of retention proper begin at a minute. */
final class Purge implements Habit.Act {
    private static final int SLICE = 200;

    private final ChaosNode node;
    private final Map<SagaStatus, Duration> ages = new HashMap<>();

    Purge(NodeOptions options, ChaosNode node) {
        this.node = node;
        int seconds = options.number("purge-after-seconds");
        if (seconds > 0) {
            for (SagaStatus status : SagaStatus.values()) {
                if (status.ended()) {
                    ages.put(status, Duration.ofSeconds(seconds));
                }
            }
        }
    }

    @Override
    public void once() {
        if (ages.isEmpty()) {
            return;
        }
        @Nullable UUID after = null;
        do {
            Purged purged = node.engine().operators().purge(ages, after, SLICE);
            after = purged.last();
        } while (after != null);
    }
}
