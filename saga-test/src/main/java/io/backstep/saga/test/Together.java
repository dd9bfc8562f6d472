package io.backstep.saga.test;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs things on threads of their own. */
final class Together {
    private Together() {}

    /** Lets threads begin at the same moment, and waits for all of them. */
    static <T> List<T> run(int threads, IntFunction<T> what) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<CompletableFuture<T>> running = IntStream.range(0, threads)
                .mapToObj(number -> start(() -> {
                    barrier.await(60, TimeUnit.SECONDS);
                    return what.apply(number);
                }))
                .toList();
        return running.stream().map(Answer::await).toList();
    }

    /** Runs something on a thread of its own. */
    static <T> CompletableFuture<T> start(Callable<T> what) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread thread = new Thread(() -> complete(future, what), "store-contract");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    private static <T> void complete(CompletableFuture<T> future, Callable<T> what) {
        try {
            future.complete(what.call());
        } catch (Throwable failure) {
            future.completeExceptionally(failure);
        }
    }
}
