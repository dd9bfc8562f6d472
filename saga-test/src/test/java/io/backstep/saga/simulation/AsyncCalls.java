package io.backstep.saga.simulation;

import io.backstep.saga.simulation.Network.Fate;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.StoreCallback;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls that are answered later: on the way there, in the server, on the way back. */
final class AsyncCalls {
    private static final long LONGEST_LOCK = 5_000_000_000L;

    private final Database database;

    AsyncCalls(Database database) {
        this.database = database;
    }

    /**
     * Sends a call.
     *
     * @param delays whether it may arrive after its caller was told that nobody knows
     * @param whenLocked the call when somebody else has some of its rows locked, or null when that cannot be
     */
    <T> void send(
            boolean delays,
            StoreCallback<T> callback,
            Consumer<StoreCallback<T>> call,
            @Nullable Consumer<StoreCallback<T>> whenLocked) {
        World world = database.world;
        SimNode node = LoopThread.nodeHere();
        if (world == null || node == null) {
            call.accept(callback);
            return;
        }
        Fate fate = database.away() ? Fate.REFUSED : world.network.fate(whenLocked != null, delays);
        if (fate == Fate.THROWN) {
            throw new IllegalStateException("simulated: the store is broken");
        }
        StoreCallback<T> back = (answer, failure) ->
                world.loop.after(world.network.latency(fate), () -> node.deliver(() -> callback.done(answer, failure)));
        long arrives = world.network.latency(fate);
        switch (fate) {
            case REFUSED -> back.done(null, SimFailure.refused());
            case TRANSIENT -> back.done(null, SimFailure.deadlock());
            case REQUEST_LOST -> back.done(null, SimFailure.inDoubt());
            case LOCKED -> {
                world.tally.reach(Goal.ROW_LOCKED);
                arrive(world, arrives, whenLocked == null ? call : whenLocked, back);
            }
            case DELAYED -> {
                back.done(null, SimFailure.inDoubt());
                arrive(world, arrives + world.network.delay(), call, unheard());
            }
            case ANSWER_LOST -> {
                StoreCallback<T> lost = (answer, failure) -> back.done(null, SimFailure.inDoubt());
                arrive(world, arrives, call, lost);
            }
            default -> arrive(world, arrives, call, back);
        }
    }

    /** As {@link #send}, of a write to rows: a delayed one may have locked them already. */
    <T> void sendLocking(
            List<UUID> rows,
            StoreCallback<T> callback,
            Consumer<StoreCallback<T>> call,
            Consumer<StoreCallback<T>> whenLocked) {
        World world = database.world;
        SimNode node = LoopThread.nodeHere();
        boolean waits = world != null && node != null && !database.away() && world.network.slowCommit();
        if (world == null || node == null || !waits) {
            send(true, callback, call, whenLocked);
            return;
        }
        world.tally.fault(Fault.DELAYED);
        long told = world.network.latency(Fate.FINE);
        world.loop.after(world.network.latency(Fate.FINE), () -> {
            if (database.away() || database.locks.holdsAny(rows)) {
                return;
            }
            database.commitLater(world, rows, world.network.delay(), () -> call.accept(unheard()));
        });
        world.loop.after(2 * told, () -> node.deliver(() -> callback.done(null, SimFailure.inDoubt())));
    }

    private <T> void arrive(World world, long after, Consumer<StoreCallback<T>> call, StoreCallback<T> back) {
        world.loop.after(after, () -> {
            if (database.away()) {
                back.done(null, SimFailure.inDoubt());
            } else {
                call.accept(back);
            }
        });
    }

    /** The caller has given up; what became of it is only seen. */
    private <T> StoreCallback<T> unheard() {
        return (answer, failure) -> {
            if (answer instanceof List<?> answers) {
                answers.forEach(one -> delayed(database, one));
            }
        };
    }

    static void delayed(Database database, @Nullable Object answer) {
        World world = database.world;
        if (world != null && answer instanceof Acceptance acceptance) {
            Acceptance.Kind kind = acceptance.kind();
            world.tally.reachIf(kind == Acceptance.Kind.ACCEPTED, Goal.DELAYED_WRITE_APPLIED);
            world.tally.reachIf(kind == Acceptance.Kind.STALE, Goal.DELAYED_WRITE_FENCED);
        }
    }

    /** Runs once the row is free; when that takes too long, its caller is told that nothing was done. */
    void whenFree(UUID row, StoreCallback<?> answer, Runnable then) {
        World world = database.world;
        if (world == null || !database.locks.holds(row)) {
            then.run();
            return;
        }
        world.tally.reach(Goal.RECOVERY_WAITED_FOR_A_LOCK);
        boolean[] told = {false};
        world.loop.after(LONGEST_LOCK, () -> {
            if (!told[0]) {
                told[0] = true;
                answer.done(null, SimFailure.locked());
            }
        });
        database.locks.whenFree(
                row,
                () -> world.loop.soon(() -> {
                    if (told[0]) {
                        return;
                    }
                    if (database.away()) {
                        told[0] = true;
                        answer.done(null, SimFailure.inDoubt());
                    } else if (database.locks.holds(row)) {
                        told[0] = true;
                        whenFree(row, answer, then);
                    } else {
                        told[0] = true;
                        then.run();
                    }
                }));
    }
}
