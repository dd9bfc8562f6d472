package io.backstep.saga.benchmarks;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Tells clients that their saga has ended or is parked, without reading the database. */
final class Ends implements SagaListener {
    private final Map<UUID, CompletableFuture<SagaStatus>> ends = new ConcurrentHashMap<>();

    @Override
    public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
        if (saga.ended() || saga.status() == SagaStatus.FAILED) {
            of(saga.sagaId()).complete(saga.status());
        }
    }

    SagaStatus await(UUID saga) throws Exception {
        return end(saga).get(1, TimeUnit.HOURS);
    }

    /** To be asked once. */
    CompletableFuture<SagaStatus> end(UUID saga) {
        CompletableFuture<SagaStatus> end = of(saga);
        end.whenComplete((status, failure) -> ends.remove(saga));
        return end;
    }

    private CompletableFuture<SagaStatus> of(UUID saga) {
        return ends.computeIfAbsent(saga, id -> new CompletableFuture<>());
    }
}
