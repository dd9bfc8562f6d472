package io.backstep.saga.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What is left of the journal without an engine: whoever finds a free writer flushes all that is queued. */
final class GroupCommit<W, A> implements AutoCloseable {
    private static final int WRITERS = 1;
    private static final int MOST = 128;

    private record Entry<W, A>(W write, Consumer<A> callback) {}

    private final BiConsumer<List<W>, Consumer<List<A>>> flush;
    private final Queue<Entry<W, A>> queue = new ConcurrentLinkedQueue<>();
    private final Semaphore freeWriters = new Semaphore(WRITERS);
    private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);

    /**
     * Makes one.
     *
     * @param flush writes and commits a batch on the calling thread, then tells one answer for each
     */
    GroupCommit(BiConsumer<List<W>, Consumer<List<A>>> flush) {
        this.flush = flush;
    }

    void add(W write, Consumer<A> callback) {
        queue.add(new Entry<>(write, callback));
        startWriter();
    }

    private void startWriter() {
        if (!queue.isEmpty() && freeWriters.tryAcquire()) {
            writers.execute(this::flushOnce);
        }
    }

    private void flushOnce() {
        List<Entry<W, A>> batch = new ArrayList<>();
        for (Entry<W, A> next = queue.poll(); next != null; next = batch.size() < MOST ? queue.poll() : null) {
            batch.add(next);
        }
        if (batch.isEmpty()) {
            freeWriters.release();
            startWriter();
            return;
        }
        flush.accept(batch.stream().map(Entry::write).toList(), answers -> {
            freeWriters.release();
            startWriter();
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).callback().accept(answers.get(i));
            }
        });
    }

    @Override
    public void close() {
        writers.shutdown();
    }
}
