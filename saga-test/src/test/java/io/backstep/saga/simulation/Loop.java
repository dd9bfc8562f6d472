package io.backstep.saga.simulation;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Virtual time: a queue of events, one thread at a time, and a clock that jumps to the next event. */
final class Loop {
    private static final int MOST_EVENTS = 200_000;

    private static final class Event implements Comparable<Event> {
        final long at;
        final long order;
        final @Nullable Runnable action;
        final @Nullable Sleep sleep;

        Event(long at, long order, @Nullable Runnable action, @Nullable Sleep sleep) {
            this.at = at;
            this.order = order;
            this.action = action;
            this.sleep = sleep;
        }

        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    private final PriorityQueue<Event> later = new PriorityQueue<>();
    private final ArrayDeque<Event> atOnce = new ArrayDeque<>();
    private final Set<Sleep> sleeps = new LinkedHashSet<>();
    private final CountDownLatch finished = new CountDownLatch(1);
    final Trace trace;
    private long now;
    private long order;
    private int executed;
    private boolean over;
    private boolean done;
    private LoopThread current;
    private @Nullable Throwable failure;

    Loop(Trace trace, LoopThread.Crew crew) {
        this.trace = trace;
        this.current = crew.next();
    }

    long now() {
        return now;
    }

    int executed() {
        return executed;
    }

    /** Runs everything until {@link #end()}, from a thread outside. */
    void run() throws Throwable {
        current.go(this);
        finished.await();
        if (failure != null) {
            throw failure;
        }
    }

    void at(long time, Runnable action) {
        if (time <= now) {
            soon(action);
        } else if (!over) {
            later.add(new Event(time, order++, action, null));
        }
    }

    void after(long delay, Runnable action) {
        at(now + delay, action);
    }

    void soon(Runnable action) {
        if (!over) {
            atOnce.add(new Event(now, order++, action, null));
        }
    }

    /** No event runs any more; those who sleep are woken as {@link Gone}. */
    void end() {
        over = true;
        later.clear();
        atOnce.clear();
        for (Sleep sleep : List.copyOf(sleeps)) {
            sleep.woken = false;
            kill(sleep);
        }
    }

    private void kill(Sleep sleep) {
        wake(sleep, Sleep.End.GONE);
        sleep.end = Sleep.End.GONE;
    }

    /** Called by a thread of the crew when it may run the loop. */
    void work(LoopThread me) {
        while (!done) {
            Event next = next();
            if (next == null) {
                finish(me);
                return;
            }
            now = Math.max(now, next.at);
            executed++;
            if (next.sleep != null) {
                Sleep woken = next.sleep;
                current = woken.thread;
                me.crew.idle.push(me);
                current.go(this);
                return;
            }
            run(me, next);
        }
    }

    private @Nullable Event next() {
        Event first = later.peek();
        boolean fromQueue = first != null && first.at <= now;
        Event soon = atOnce.peek();
        if (soon == null || (fromQueue && first.order < soon.order)) {
            return later.poll();
        }
        return atOnce.poll();
    }

    private void run(LoopThread me, Event event) {
        try {
            if (event.action != null) {
                event.action.run();
            }
            if (executed > MOST_EVENTS && !over) {
                throw new Violation("LOOP", "after " + executed + " events it has not ended");
            }
        } catch (Gone e) {
            trace.mix(0x60);
        } catch (Throwable e) {
            failure = failure == null ? e : failure;
            end();
        } finally {
            me.node = null;
        }
    }

    private void finish(LoopThread me) {
        done = true;
        me.crew.idle.push(me);
        finished.countDown();
    }

    /** Lets virtual time pass for the calling thread, in the middle of its event. */
    Sleep.End sleep(long nanos) {
        if (over) {
            throw new Gone();
        }
        long until = now + Math.max(0, nanos);
        if (atOnce.isEmpty() && (later.isEmpty() || later.peek().at > until)) {
            now = until;
            return Sleep.End.TIME;
        }
        Sleep sleep = begin();
        at(until, () -> wakeFor(sleep, Sleep.End.TIME));
        return await(sleep);
    }

    /** Registers the calling thread as one that will wait; {@link #await} then waits. */
    Sleep begin() {
        if (over) {
            throw new Gone();
        }
        Sleep sleep = new Sleep((LoopThread) Thread.currentThread());
        sleeps.add(sleep);
        return sleep;
    }

    Sleep.End await(Sleep sleep) {
        LoopThread me = sleep.thread;
        me.sleep = sleep;
        LoopThread other = me.crew.next();
        current = other;
        other.go(this);
        me.await();
        me.sleep = null;
        me.node = sleep.owner;
        sleeps.remove(sleep);
        if (sleep.end == Sleep.End.GONE) {
            throw new Gone();
        }
        return sleep.end == null ? Sleep.End.TIME : sleep.end;
    }

    /** Wakes somebody on behalf of a node, which may be dead or paused. */
    void wakeFor(Sleep sleep, Sleep.End end) {
        SimNode owner = sleep.owner;
        if (owner == null) {
            wake(sleep, end);
        } else {
            owner.deliver(() -> wake(sleep, end));
        }
    }

    void wake(Sleep sleep, Sleep.End end) {
        if (!sleep.woken) {
            sleep.woken = true;
            sleep.end = end;
            atOnce.add(new Event(now, order++, null, sleep));
        }
    }

    /** Kills all who sleep for a node. */
    void killSleepers(SimNode node) {
        for (Sleep sleep : List.copyOf(sleeps)) {
            if (sleep.owner == node) {
                kill(sleep);
            }
        }
    }
}
