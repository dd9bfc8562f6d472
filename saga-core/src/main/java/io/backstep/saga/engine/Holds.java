package io.backstep.saga.engine;

import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import io.backstep.saga.store.Hold;
import java.time.Duration;

/** Chooses what a write does to owner and due time: the lease while the saga is owned, at release when the next thing is due. */
final class Holds {
    /** Of a saga that waits for an answer without end. */
    static final Duration RECHECK = Duration.ofHours(1);

    private final Node node;
    private final SagaMachine machine;

    Holds(Node node, SagaMachine machine) {
        this.node = node;
        this.machine = machine;
    }

    Hold choose(SagaState after, boolean busy, Ownership ownership) {
        if (!after.status().active()) {
            return Hold.END;
        }
        Duration lease = node.tuning.lease();
        if (!busy && !after.underWay()) {
            Duration wait = untilDue(after, ownership.clock().earliest(node.clock.nanos()));
            if (node.stopping() || wait.compareTo(lease) > 0 || machine.awaitsAnswers(after)) {
                return Hold.release(wait);
            }
        }
        long left = ownership.leaseEnd() - node.clock.nanos();
        return left < lease.toNanos() / 2 ? Hold.extend(lease) : Hold.KEEP;
    }

    /** What was withdrawn waits for nothing, and the machine names no time for it. */
    private Duration untilDue(SagaState after, Duration now) {
        if (node.stopping()) {
            Transition next = machine.on(after, new SagaEvent.TimePassed(now));
            if (!next.calls().isEmpty() || !next.suspects().isEmpty()) {
                return Duration.ZERO;
            }
        }
        Duration at = machine.wakeAt(after);
        if (at == null) { // an answer may be hours away; anything else was withdrawn, and is wanted soon
            return machine.awaitsAnswers(after) ? RECHECK : node.tuning.lease();
        }
        Duration wait = at.minus(now);
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
