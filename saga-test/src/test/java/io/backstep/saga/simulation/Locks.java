package io.backstep.saga.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What transactions that the server has not finished hold locked: rows by their id, and keys. */
final class Locks {
    record Key(String kind, String value) {}

    /** A transaction that has done its statements, and whose commit is still to come. */
    static final class Holder {
        private final List<Object> locked;
        private final List<Runnable> waiting = new ArrayList<>();
        private boolean over;

        private Holder(Collection<?> locked) {
            this.locked = List.copyOf(locked);
        }

        boolean over() {
            return over;
        }
    }

    private final Map<Object, Holder> holders = new HashMap<>();

    Holder hold(Collection<?> what) {
        Holder holder = new Holder(what);
        holder.locked.forEach(one -> holders.put(one, holder));
        return holder;
    }

    void release(Holder holder) {
        holder.over = true;
        holder.locked.forEach(holders::remove);
        holder.waiting.forEach(Runnable::run);
    }

    boolean holds(Object what) {
        return !holders.isEmpty() && holders.containsKey(what);
    }

    boolean holdsAny(Collection<?> what) {
        return !holders.isEmpty() && what.stream().anyMatch(holders::containsKey);
    }

    /** Tells once the lock is let go of; must be short. */
    void whenFree(Object what, Runnable then) {
        Holder holder = holders.get(what);
        if (holder == null) {
            then.run();
        } else {
            holder.waiting.add(then);
        }
    }

    @Nullable
    Object firstHeld(Collection<?> what) {
        return what.stream().filter(this::holds).findFirst().orElse(null);
    }

    List<UUID> rows() {
        return holders.keySet().stream()
                .filter(UUID.class::isInstance)
                .map(UUID.class::cast)
                .sorted()
                .toList();
    }

    /** A crash of the database: all that was not committed is rolled back. */
    List<Holder> all() {
        return holders.values().stream().distinct().toList();
    }
}
