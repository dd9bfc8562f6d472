package io.backstep.saga.engine;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Wakes those who wait for a saga when this node has let go of it. */
final class Waiters {
    private final Map<UUID, List<CompletableFuture<Void>>> waiting = new ConcurrentHashMap<>();

    CompletableFuture<Void> add(UUID sagaId) {
        CompletableFuture<Void> waiter = new CompletableFuture<>();
        waiting.compute(sagaId, (id, others) -> {
            List<CompletableFuture<Void>> all = others == null ? new CopyOnWriteArrayList<>() : others;
            all.add(waiter);
            return all;
        });
        return waiter;
    }

    void remove(UUID sagaId, CompletableFuture<Void> waiter) {
        waiting.computeIfPresent(sagaId, (id, all) -> {
            all.remove(waiter);
            return all.isEmpty() ? null : all;
        });
    }

    void wake(UUID sagaId) {
        waiting.getOrDefault(sagaId, List.of()).forEach(waiter -> waiter.complete(null));
    }
}
