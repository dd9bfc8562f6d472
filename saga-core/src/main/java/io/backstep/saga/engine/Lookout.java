package io.backstep.saga.engine;

import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once per poll interval whether anything is due or has mail: all that an idle node asks. Looks sooner, but at most ten times as
 * often, when something falls due sooner or something was just taken; and, besides, when the store hints at something.
 */
final class Lookout {
    private static final Logger log = LoggerFactory.getLogger(Lookout.class);
    private static final int MORE_OFTEN = 10;

    /** All hints of such a time are one; and not all nodes look at the same moment. */
    private static final Duration HINTS = Duration.ofMillis(10);

    /** However many hints come, a look that they cause begins no sooner after the end of the one before. */
    private static final Duration GAP = Duration.ofMillis(20);

    private final Node node;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean hinted = new AtomicBoolean();
    private volatile boolean again;
    private volatile boolean running;
    private volatile Runnable claim = () -> {};
    private volatile long nextAt;
    private volatile long lookedAt;
    private volatile Timer.Scheduled next = () -> {};
    private volatile Listening hints = () -> {};

    Lookout(Node node) {
        this.node = node;
    }

    /** Begins by taking what there is. */
    void start(Runnable claims) {
        claim = claims;
        lookedAt = node.clock.nanos();
        running = true;
        node.mailroom.look();
        lookIn(interval());
        claim();
        try {
            hints = node.store.listen(this::hint);
        } catch (Throwable e) {
            log.warn("the store gives no hints: {}; what others do is found by looking", e.toString());
        }
    }

    void stop() {
        running = false;
        next.cancel();
        hints.close();
    }

    /** Takes what may be due now. */
    void claim() {
        claim.run();
    }

    private void hint() {
        if (running && hinted.compareAndSet(false, true)) {
            lookAtHint(Duration.ofNanos((long) (HINTS.toNanos() * node.randomness.next())));
        }
    }

    private void lookAtHint(Duration pause) {
        node.timer.after(pause, () -> {
            Duration early = GAP.minusNanos(node.clock.nanos() - lookedAt);
            if (early.isNegative() || early.isZero()) {
                hinted.set(false);
                look();
            } else {
                lookAtHint(early);
            }
        });
    }

    /** Looks now, or once more after it has looked. */
    private void look() {
        if (!running) {
            return;
        }
        again = true;
        if (looking.compareAndSet(false, true)) {
            again = false;
            try {
                node.keeper.execute(this::ask);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                looking.set(false);
                rest();
            } catch (Throwable e) {
                looking.set(false);
                throw e;
            }
        }
    }

    private void ask() {
        List<Integer> known = List.copyOf(node.registry.ids());
        node.store.look(node.lease.owner(), known, (outlook, failure) -> saw(outlook));
    }

    private void saw(@Nullable Outlook outlook) {
        lookedAt = node.clock.nanos();
        looking.set(false);
        if (outlook == null) {
            rest();
            return;
        }
        lookIn(pause(outlook));
        if (outlook.mail()) {
            node.mailroom.look();
        }
        if (outlook.isDue()) {
            claim();
        }
        if (again) {
            hint();
        }
    }

    /** What is due now and cannot be taken, since somebody has it locked, is no reason to look more often. */
    private Duration pause(Outlook outlook) {
        Duration interval = interval();
        Duration due = outlook.untilDue();
        if (due == null || outlook.isDue() || due.compareTo(interval) >= 0) {
            return interval;
        }
        return atLeastShortest(due);
    }

    private Duration atLeastShortest(Duration due) {
        Duration least = shortest();
        return due.compareTo(least) < 0 ? least : due;
    }

    /** Up to a fifth longer, never shorter: an idle node must not ask more often than it was told to. */
    private Duration interval() {
        Duration interval = node.tuning.pollInterval();
        return interval.plusNanos((long) (interval.toNanos() * 0.2 * node.randomness.next()));
    }

    private Duration shortest() {
        return node.spread(node.tuning.pollInterval().dividedBy(MORE_OFTEN));
    }

    /** There was work; what comes next is looked for soon. */
    void soon() {
        lookIn(shortest());
    }

    /** What this node has given back it looks for when that is due. */
    void released(Hold hold) {
        Duration due = hold.duration();
        if (due != null && node.clock.nanos() + due.toNanos() - nextAt < 0) {
            lookIn(atLeastShortest(due));
        }
    }

    /** After a failure. */
    void rest() {
        lookIn(node.rest());
    }

    private void lookIn(Duration pause) {
        next.cancel();
        if (running) {
            nextAt = node.clock.nanos() + pause.toNanos();
            next = node.timer.after(pause, this::look);
        }
    }
}
