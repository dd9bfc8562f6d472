package io.backstep.saga.engine;

import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import java.time.Duration;

/**
 * What this node knows of its claim on a saga.
 *
 * @param fence what the next write expects
 * @param leaseEnd when the lease ends, in nanoseconds of the monotonic clock, counted from before the claim was sent
 * @param clock the age of the saga
 */
record Ownership(Fence fence, long leaseEnd, InstanceClock clock) {
    static Ownership of(Claimed claimed, long sent, long received, Duration lease) {
        Fence fence = new Fence(
                claimed.row().sagaId(), claimed.row().epoch(), claimed.row().seq());
        return new Ownership(fence, sent + lease.toNanos(), new InstanceClock(claimed.age(), sent, received));
    }

    Ownership renewed(long sent, Duration lease) {
        return new Ownership(fence, Math.max(leaseEnd, sent + lease.toNanos()), clock);
    }

    /** After an accepted write. A lease that was extended with it counts only from the next renewal on: that errs on the safe side. */
    Ownership wrote(Hold hold, long nanos) {
        Fence next = new Fence(fence.sagaId(), fence.epoch(), fence.seq() + 1);
        return new Ownership(next, leaseEnd, clock);
    }
}
