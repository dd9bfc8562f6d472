package io.backstep.saga.benchmarks;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is left of the journal without an engine: whoever finds a free writer flushes all that is queued, progress and starts together. */
final class GroupCommit implements AutoCloseable {
    private static final int WRITERS = 1;
    private static final int MOST = 128;

    private record Entry<W, A>(W write, Consumer<A> callback) {}

    private final SagaStore store;
    private final Queue<Entry<Mutation, Acceptance>> progress = new ConcurrentLinkedQueue<>();
    private final Queue<Entry<NewInstance, InsertResult>> starts = new ConcurrentLinkedQueue<>();
    private final Semaphore freeWriters = new Semaphore(WRITERS);
    private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);

    GroupCommit(SagaStore store) {
        this.store = store;
    }

    void submit(Mutation mutation, Consumer<Acceptance> callback) {
        progress.add(new Entry<>(mutation, callback));
        startWriter();
    }

    void insert(NewInstance instance, Consumer<InsertResult> callback) {
        starts.add(new Entry<>(instance, callback));
        startWriter();
    }

    private void startWriter() {
        if (!(progress.isEmpty() && starts.isEmpty()) && freeWriters.tryAcquire()) {
            writers.execute(this::flushOnce);
        }
    }

    private void flushOnce() {
        List<Entry<Mutation, Acceptance>> mutations = drained(progress, MOST);
        List<Entry<NewInstance, InsertResult>> instances = drained(starts, MOST - mutations.size());
        if (mutations.isEmpty() && instances.isEmpty()) {
            freeWriters.release();
            startWriter();
            return;
        }
        store.write(
                mutations.stream().map(Entry::write).toList(),
                instances.stream().map(Entry::write).toList(),
                (@Nullable Written written, @Nullable Throwable failure) -> {
                    if (written == null) {
                        throw new IllegalStateException("a batch failed", failure);
                    }
                    freeWriters.release();
                    startWriter();
                    tell(mutations, written.progress());
                    tell(instances, written.starts());
                });
    }

    private static <E> List<E> drained(Queue<E> queue, int most) {
        List<E> batch = new ArrayList<>();
        for (E next = most > 0 ? queue.poll() : null; next != null; next = batch.size() < most ? queue.poll() : null) {
            batch.add(next);
        }
        return batch;
    }

    private static <W, A> void tell(List<Entry<W, A>> batch, List<A> answers) {
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).callback().accept(answers.get(i));
        }
    }

    @Override
    public void close() {
        writers.shutdown();
    }
}
