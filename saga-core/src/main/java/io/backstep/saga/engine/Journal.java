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
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups writes: whoever finds a free writer flushes at once; what comes meanwhile goes into the next flush. Starts and progress are
 * flushed apart, each by writers of its own: a start waits for whoever inserts the same key, and progress must not wait with it. What
 * was found locked goes again by a third and a fourth way, with one writer each: it may have to wait again, with nobody behind it. An
 * instance has at most one write outstanding, so a batch holds it once.
 */
final class Journal {
    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    private record Entry<W, A>(W write, StoreCallback<A> callback) {}

    private final Lane<Mutation, Acceptance> progress;
    private final Lane<NewInstance, InsertResult> starts;
    private final Lane<Mutation, Acceptance> lockedProgress;
    private final Lane<NewInstance, InsertResult> lockedStarts;

    Journal(SagaStore store, Executor writers, int maxWriters, int maxBatch, Supplier<Pace> paces) {
        Flushes<Mutation, Acceptance> progressing = new Flushes<>(store::submit, writers, paces.get(), false);
        Flushes<NewInstance, InsertResult> starting = new Flushes<>(store::insert, writers, paces.get(), true);
        this.progress = new Lane<>(progressing, maxWriters, maxBatch);
        this.starts = new Lane<>(starting, maxWriters, maxBatch);
        this.lockedProgress = new Lane<>(progressing, 1, maxBatch);
        this.lockedStarts = new Lane<>(starting, 1, maxBatch);
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

    /**
     * How lanes flush.
     *
     * @param call of the store
     * @param writers runs it
     * @param pace while it fails, one write at a time
     * @param hasty whether nobody waits while it surely fails
     */
    private record Flushes<W, A>(
            BiConsumer<List<W>, StoreCallback<List<A>>> call, Executor writers, Pace pace, boolean hasty) {}

    private static final class Lane<W, A> {
        private final Flushes<W, A> flushes;
        private final Pace pace;
        private final Slots free;
        private final int maxBatch;
        private final Queue<Entry<W, A>> queue = new ConcurrentLinkedQueue<>();

        private Lane(Flushes<W, A> flushes, int maxWriters, int maxBatch) {
            this.flushes = flushes;
            this.pace = flushes.pace();
            this.free = new Slots(maxWriters);
            this.maxBatch = maxBatch;
        }

        private void add(Entry<W, A> entry) {
            queue.add(entry);
            if (flushes.hasty() && pace.isShut()) {
                refuseAll();
            } else {
                startWriter();
            }
        }

        private void startWriter() {
            if (!queue.isEmpty() && free.take()) {
                pace.enter(this::handOver);
            }
        }

        private void handOver() {
            try {
                flushes.writers().execute(this::flushOnce);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                pace.unused();
                free.giveBack();
                failAll(unwritten("SAGA-DB-001", "no thread takes it: they are too many, or the engine is closed", e));
            }
        }

        /** While the store fails one row at a time: which of them it fails for is not known. */
        private void flushOnce() {
            List<Entry<W, A>> batch = drain(pace.isOpen() ? maxBatch : 1);
            if (batch.isEmpty()) {
                pace.unused();
                giveBack();
                return;
            }
            long sent = pace.now();
            List<W> writes = batch.stream().map(Entry::write).toList();
            try {
                flushes.call().accept(writes, (answers, failure) -> flushed(batch, sent, answers, failure));
            } catch (RuntimeException | Error e) {
                flushed(batch, sent, null, e);
            }
        }

        private List<Entry<W, A>> drain(int most) {
            List<Entry<W, A>> batch = new ArrayList<>();
            while (batch.size() < most) {
                Entry<W, A> next = queue.poll();
                if (next == null) {
                    break;
                }
                batch.add(next);
            }
            return batch;
        }

        private void flushed(List<Entry<W, A>> batch, long sent, @Nullable List<A> given, @Nullable Throwable failure) {
            List<A> answers = given == null || given.size() != batch.size() ? null : given;
            Throwable why =
                    failure == null ? new IllegalStateException("neither an answer for each nor a failure") : failure;
            pace.answered(sent, answers == null ? why : null);
            giveBack();
            if (answers == null) {
                fail(batch, why);
                return;
            }
            for (int i = 0; i < batch.size(); i++) {
                tell(batch.get(i), answers.get(i), null);
            }
        }

        private void refuseAll() {
            failAll(unwritten(
                    "SAGA-DB-015",
                    "the store fails, and is asked again within a second; nothing was written; try again",
                    pace.lastFailure()));
        }

        private void failAll(SagaStoreException refusal) {
            for (List<Entry<W, A>> some = drain(maxBatch); !some.isEmpty(); some = drain(maxBatch)) {
                fail(some, refusal);
            }
        }

        private void fail(List<Entry<W, A>> batch, Throwable failure) {
            batch.forEach(entry -> tell(entry, null, failure));
        }

        /** One that cannot take its answer takes nobody else's. */
        private void tell(Entry<W, A> entry, @Nullable A answer, @Nullable Throwable failure) {
            try {
                entry.callback().done(answer, failure);
            } catch (RuntimeException | Error e) {
                log.error("SAGA-ENGINE-006: a part of the engine failed", e);
            }
        }

        private void giveBack() {
            free.giveBack();
            if (flushes.hasty() && pace.isShut()) {
                refuseAll();
            }
            startWriter();
        }

        private static SagaStoreException unwritten(String code, String message, @Nullable Throwable cause) {
            return new SagaStoreException(code, message, SagaStoreException.Effect.NONE, cause);
        }
    }
}
