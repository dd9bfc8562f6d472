package io.backstep.saga.engine;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Bounds what this node has in memory: the sagas that it holds, and the starts that are under way. What comes from the store is
 * let in, since it is bounded by the free workers; who starts one more waits, in the order of coming.
 */
final class Room {
    private final Slots slots;
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean open;

    Room(int limit) {
        this.slots = new Slots(limit);
    }

    /** Completes when there is room. Must be followed by {@link #leave}, unless {@link #giveUp} says that it had none. */
    CompletableFuture<Void> enter() {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        waiting.add(turn);
        admit();
        return turn;
    }

    /** Whether it still waited; otherwise it has got room meanwhile. */
    boolean giveUp(CompletableFuture<Void> turn) {
        return waiting.remove(turn);
    }

    void add() {
        slots.takeAnyway();
    }

    void leave() {
        slots.giveBack();
        admit();
    }

    /** Nobody waits any more: the node stops, and they are told so. */
    void open() {
        open = true;
        admit();
    }

    private void admit() {
        while (!waiting.isEmpty() && take()) {
            CompletableFuture<Void> next = waiting.poll();
            if (next == null) {
                slots.giveBack();
            } else {
                next.complete(null);
            }
        }
    }

    private boolean take() {
        if (open) {
            slots.takeAnyway();
            return true;
        }
        return slots.take();
    }
}
