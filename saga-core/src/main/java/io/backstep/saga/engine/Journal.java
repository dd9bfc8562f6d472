package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups writes: whoever finds a free writer flushes at once; what comes meanwhile goes into the next flush, progress and starts
 * together. A start that may meet another one is flushed apart, by writers of its own: it waits for that, and progress must not wait
 * with it. What was found locked goes again by a third and a fourth way, with one writer each: it may have to wait again, with nobody
 * behind it. An instance has at most one write outstanding, so a batch holds it once.
 */
final class Journal {
    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    private record Entry<W, A>(W write, StoreCallback<A> callback) {}

    private final SagaStore store;
    private final Executor writers;
    private final Lane main;
    private final Lane apart;
    private final Lane lockedProgress;
    private final Lane lockedStarts;

    Journal(SagaStore store, Executor writers, int maxWriters, int maxBatch, Supplier<Pace> paces) {
        Pace progressing = paces.get();
        Pace starting = paces.get();
        this.store = store;
        this.writers = writers;
        this.main = new Lane(progressing, maxWriters, maxBatch);
        this.apart = new Lane(starting, maxWriters, maxBatch);
        this.lockedProgress = new Lane(progressing, 1, maxBatch);
        this.lockedStarts = new Lane(starting, 1, maxBatch);
    }

    /** How many flushes may be under way at once. */
    static int flushes(int maxWriters) {
        return 2 * maxWriters + 2;
    }

    void submit(Mutation mutation, StoreCallback<Acceptance> callback) {
        main.progress(mutation, callback);
    }

    /** Once more, after it was found locked. */
    void submitLocked(Mutation mutation, StoreCallback<Acceptance> callback) {
        lockedProgress.progress(mutation, callback);
    }

    /** Of a saga that nobody else can be starting: it has no key, and its id was made here. */
    void insert(NewInstance instance, StoreCallback<InsertResult> callback) {
        main.start(instance, callback);
    }

    /** Of a saga that somebody else may be starting. */
    void insertApart(NewInstance instance, StoreCallback<InsertResult> callback) {
        apart.start(instance, callback);
    }

    /** Once more, after the same was found to be started by an open transaction. */
    void insertLocked(NewInstance instance, StoreCallback<InsertResult> callback) {
        lockedStarts.start(instance, callback);
    }

    /** What one flush writes. */
    private record Batch(List<Entry<Mutation, Acceptance>> progress, List<Entry<NewInstance, InsertResult>> starts) {
        private int size() {
            return progress.size() + starts.size();
        }

        private void write(SagaStore store, StoreCallback<Written> callback) {
            List<Mutation> mutations = progress.stream().map(Entry::write).toList();
            List<NewInstance> instances = starts.stream().map(Entry::write).toList();
            if (instances.isEmpty()) {
                store.submit(mutations, (answers, failure) -> callback.done(Written.of(answers, List.of()), failure));
            } else if (mutations.isEmpty()) {
                store.insert(instances, (answers, failure) -> callback.done(Written.of(List.of(), answers), failure));
            } else {
                store.write(mutations, instances, callback);
            }
        }

        private boolean isAnsweredBy(@Nullable Written written) {
            return written != null
                    && written.progress().size() == progress.size()
                    && written.starts().size() == starts.size();
        }

        private void tell(Written written) {
            each(progress, written.progress());
            each(starts, written.starts());
        }

        private void fail(Throwable failure) {
            progress.forEach(entry -> tell(entry, null, failure));
            starts.forEach(entry -> tell(entry, null, failure));
        }

        private static <W, A> void each(List<Entry<W, A>> entries, List<A> answers) {
            for (int i = 0; i < entries.size(); i++) {
                tell(entries.get(i), answers.get(i), null);
            }
        }

        /** One that cannot take its answer takes nobody else's. */
        private static <W, A> void tell(Entry<W, A> entry, @Nullable A answer, @Nullable Throwable failure) {
            try {
                entry.callback().done(answer, failure);
            } catch (Throwable e) {
                log.error("SAGA-ENGINE-006: a part of the engine failed", e);
            }
        }
    }

    /** A way to the store, with writers of its own. While it fails nobody waits for a start, and progress goes one write at a time. */
    private final class Lane {
        private final Pace pace;
        private final Slots free;
        private final int maxBatch;
        private final Queue<Entry<Mutation, Acceptance>> progress = new ConcurrentLinkedQueue<>();
        private final Queue<Entry<NewInstance, InsertResult>> starts = new ConcurrentLinkedQueue<>();

        private Lane(Pace pace, int maxWriters, int maxBatch) {
            this.pace = pace;
            this.free = new Slots(maxWriters);
            this.maxBatch = maxBatch;
        }

        private void progress(Mutation mutation, StoreCallback<Acceptance> callback) {
            progress.add(new Entry<>(mutation, callback));
            startWriter();
        }

        private void start(NewInstance instance, StoreCallback<InsertResult> callback) {
            starts.add(new Entry<>(instance, callback));
            refuseIfShut();
            startWriter();
        }

        private void startWriter() {
            if (!(progress.isEmpty() && starts.isEmpty()) && free.take()) {
                pace.enter(this::handOver);
            }
        }

        private void handOver() {
            try {
                writers.execute(this::flushOnce);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                pace.unused();
                free.giveBack();
                SagaStoreException refusal =
                        unwritten("SAGA-DB-001", "no thread takes it: they are too many, or the engine is closed", e);
                for (Batch some = drain(maxBatch); some.size() > 0; some = drain(maxBatch)) {
                    some.fail(refusal);
                }
            }
        }

        /** While the store fails one row at a time: which of them it fails for is not known. */
        private void flushOnce() {
            Batch batch = drain(pace.isOpen() ? maxBatch : 1);
            if (batch.size() == 0) {
                pace.unused();
                giveBack();
                return;
            }
            long sent = pace.now();
            try {
                batch.write(store, (written, failure) -> flushed(batch, sent, written, failure));
            } catch (Throwable e) {
                flushed(batch, sent, null, e);
            }
        }

        /** By turns, so that neither waits for all of the other. */
        private Batch drain(int most) {
            Batch batch = new Batch(new ArrayList<>(), new ArrayList<>());
            boolean found = true;
            while (found && batch.size() < most) {
                found = moved(progress, batch.progress());
                found |= batch.size() < most && moved(starts, batch.starts());
            }
            return batch;
        }

        private static <E> boolean moved(Queue<E> from, List<E> to) {
            E next = from.poll();
            return next != null && to.add(next);
        }

        private void flushed(Batch batch, long sent, @Nullable Written written, @Nullable Throwable failure) {
            boolean answered = batch.isAnsweredBy(written);
            Throwable why =
                    failure == null ? new IllegalStateException("neither an answer for each nor a failure") : failure;
            pace.answered(sent, answered ? null : why);
            giveBack();
            if (written != null && answered) {
                batch.tell(written);
            } else {
                batch.fail(why);
            }
        }

        private void giveBack() {
            free.giveBack();
            refuseIfShut();
            startWriter();
        }

        private void refuseIfShut() {
            if (!starts.isEmpty() && pace.isShut()) {
                Batch refused = new Batch(List.of(), new ArrayList<>());
                while (moved(starts, refused.starts())) {}
                refused.fail(unwritten(
                        "SAGA-DB-015",
                        "the store fails, and is asked again within a second; nothing was written; try again",
                        pace.lastFailure()));
            }
        }

        private static SagaStoreException unwritten(String code, String message, @Nullable Throwable cause) {
            return new SagaStoreException(code, message, SagaStoreException.Effect.NONE, cause);
        }
    }
}
