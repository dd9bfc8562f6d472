package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Locks.Holder;
import io.backstep.saga.store.InMemorySagaStore;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The server: the in-memory store's tables, what is still to be committed, and whether it is up at all. */
final class Database {
    private static final long LONGEST_WAIT = 5_000_000_000L;

    final InMemorySagaStore kept;
    final Locks locks = new Locks();
    Commits commits = Commits.UNSEEN;
    /** Null when there is no virtual time: then there are no faults. */
    final @Nullable World world;

    private final ThreadLocal<@Nullable SimTx> current = new ThreadLocal<>();
    private final Map<Holder, Runnable> uncommitted = new LinkedHashMap<>();
    private boolean away;
    private int crashes;

    Database(Supplier<Instant> clock, @Nullable World world) {
        this.kept = new InMemorySagaStore(clock);
        this.world = world;
    }

    boolean away() {
        return away;
    }

    /** Changes whenever the database has crashed. */
    int crashes() {
        return crashes;
    }

    void crash() {
        away = true;
        crashes++;
        List<Holder> lost = List.copyOf(uncommitted.keySet());
        uncommitted.clear();
        lost.forEach(locks::release);
    }

    void restart() {
        away = false;
    }

    @Nullable
    SimTx transaction() {
        return current.get();
    }

    void transaction(@Nullable SimTx transaction) {
        if (transaction == null) {
            current.remove();
        } else {
            current.set(transaction);
        }
    }

    /** Runs something on the tables; rows whose commit is still to come are locked. */
    void onTables(Runnable what) {
        onTables(what, locks.rows());
    }

    /** As {@link #onTables}, while somebody else has some more rows locked. */
    void onTables(Collection<UUID> others, Runnable what) {
        onTables(
                what,
                Stream.concat(locks.rows().stream(), others.stream()).distinct().toList());
    }

    private void onTables(Runnable what, List<UUID> locked) {
        if (locked.isEmpty()) {
            what.run();
        } else {
            kept.whileLocked(locked.get(0), () -> onTables(what, locked.subList(1, locked.size())));
        }
    }

    /** A transaction that has done everything but commit, which it does later, unless the database crashes. */
    Holder commitLater(World in, Collection<?> locked, long delay, Runnable commit) {
        Holder holder = locks.hold(locked);
        uncommitted.put(holder, commit);
        in.loop.after(delay, () -> {
            Runnable due = uncommitted.remove(holder);
            if (due != null) {
                locks.release(holder);
                due.run();
            }
        });
        return holder;
    }

    /** Waits until nobody has any of these locked; false when that takes too long. */
    boolean await(Collection<?> wanted, long atMost) {
        World in = world;
        if (in == null) {
            return true;
        }
        long end = in.loop.now() + Math.min(atMost, LONGEST_WAIT);
        Object held = locks.firstHeld(wanted);
        while (held != null && in.loop.now() < end) {
            Sleep sleep = in.loop.begin();
            locks.whenFree(held, () -> in.loop.wakeFor(sleep, Sleep.End.SIGNAL));
            in.loop.at(end, () -> in.loop.wakeFor(sleep, Sleep.End.TIME));
            in.loop.await(sleep);
            held = locks.firstHeld(wanted);
        }
        return held == null;
    }
}
