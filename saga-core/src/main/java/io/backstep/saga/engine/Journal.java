package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups writes: whoever finds a free writer flushes at once; what comes meanwhile goes into the next flush. Starts and progress are
 * flushed apart, each by writers of its own: a start waits for whoever inserts the same key, and progress must not wait with it. What
 * was found locked goes again by a third and a fourth way, with one writer each: it may have to wait again, with nobody behind it. An
 * instance has at most one write outstanding, so a batch holds it once.
 */
final class Journal {
    private record Entry<W, A>(W write, StoreCallback<A> callback) {}

    private final Lane<Mutation, Acceptance> progress;
    private final Lane<NewInstance, InsertResult> starts;
    private final Lane<Mutation, Acceptance> lockedProgress;
    private final Lane<NewInstance, InsertResult> lockedStarts;

    Journal(SagaStore store, Executor writers, int maxWriters, int maxBatch) {
        this.progress = new Lane<>(store::submit, writers, maxWriters, maxBatch);
        this.starts = new Lane<>(store::insert, writers, maxWriters, maxBatch);
        this.lockedProgress = new Lane<>(store::submit, writers, 1, maxBatch);
        this.lockedStarts = new Lane<>(store::insert, writers, 1, maxBatch);
    }

    /** How many flushes may be under way at once. */
    static int flushes(int maxWriters) {
        return 2 * maxWriters + 2;
    }

    void submit(Mutation mutation, StoreCallback<Acceptance> callback) {
        progress.add(new Entry<>(mutation, callback));
    }

    /** Once more, after it was found locked. */
    void submitLocked(Mutation mutation, StoreCallback<Acceptance> callback) {
        lockedProgress.add(new Entry<>(mutation, callback));
    }

    void insert(NewInstance instance, StoreCallback<InsertResult> callback) {
        starts.add(new Entry<>(instance, callback));
    }

    /** Once more, after its key was found locked. */
    void insertLocked(NewInstance instance, StoreCallback<InsertResult> callback) {
        lockedStarts.add(new Entry<>(instance, callback));
    }

    private static final class Lane<W, A> {
        private final BiConsumer<List<W>, StoreCallback<List<A>>> flush;
        private final Executor writers;
        private final AtomicInteger freeWriters;
        private final int maxBatch;
        private final Queue<Entry<W, A>> queue = new ConcurrentLinkedQueue<>();

        private Lane(
                BiConsumer<List<W>, StoreCallback<List<A>>> flush, Executor writers, int maxWriters, int maxBatch) {
            this.flush = flush;
            this.writers = writers;
            this.freeWriters = new AtomicInteger(maxWriters);
            this.maxBatch = maxBatch;
        }

        private void add(Entry<W, A> entry) {
            queue.add(entry);
            startWriter();
        }

        private void startWriter() {
            if (!queue.isEmpty() && takeWriter()) {
                try {
                    writers.execute(this::flushOnce);
                } catch (RejectedExecutionException e) {
                    freeWriters.incrementAndGet();
                    fail(
                            drain(),
                            new SagaStoreException(
                                    "SAGA-DB-001", "the engine is closed", SagaStoreException.Effect.NONE, e));
                }
            }
        }

        private boolean takeWriter() {
            int free = freeWriters.get();
            while (free > 0) {
                if (freeWriters.compareAndSet(free, free - 1)) {
                    return true;
                }
                free = freeWriters.get();
            }
            return false;
        }

        private void flushOnce() {
            List<Entry<W, A>> batch = drain();
            if (batch.isEmpty()) {
                giveBack();
                return;
            }
            List<W> writes = batch.stream().map(Entry::write).toList();
            try {
                flush.accept(writes, (answers, failure) -> flushed(batch, answers, failure));
            } catch (RuntimeException | Error e) {
                flushed(batch, null, e);
            }
        }

        private List<Entry<W, A>> drain() {
            List<Entry<W, A>> batch = new ArrayList<>();
            while (batch.size() < maxBatch) {
                Entry<W, A> next = queue.poll();
                if (next == null) {
                    break;
                }
                batch.add(next);
            }
            return batch;
        }

        private void flushed(List<Entry<W, A>> batch, @Nullable List<A> answers, @Nullable Throwable failure) {
            giveBack();
            if (answers == null) {
                fail(batch, failure == null ? new IllegalStateException("neither answer nor failure") : failure);
                return;
            }
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).callback().done(answers.get(i), null);
            }
        }

        private void fail(List<Entry<W, A>> batch, Throwable failure) {
            batch.forEach(entry -> entry.callback().done(null, failure));
        }

        private void giveBack() {
            freeWriters.incrementAndGet();
            startWriter();
        }
    }
}
