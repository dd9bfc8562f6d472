package io.backstep.saga.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Calls that begin at the same moment, each on a thread of its own, as often as one likes. */
final class AtOnce implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What each has answered, in their order. */
    <T> List<T> run(List<Callable<T>> calls) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(calls.size());
        List<Future<T>> running = new ArrayList<>();
        for (Callable<T> call : calls) {
            running.add(threads.submit(() -> {
                barrier.await(60, TimeUnit.SECONDS);
                return call.call();
            }));
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> each : running) {
            answers.add(each.get(60, TimeUnit.SECONDS));
        }
        return answers;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
