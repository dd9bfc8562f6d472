package io.backstep.saga.benchmarks;

import io.backstep.saga.benchmarks.Contender.End;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** So many sagas are under way at any time: when the end of one is durable, the next is started. A wrong end fails it. */
final class ClosedLoop implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 120;

    private final Contender contender;
    private final Supplier<Order> orders;
    private final End expected;
    private final Executor clients;
    private final Recorder recorder = new Recorder(3);
    private final LongAdder started = new LongAdder();
    private final CountDownLatch underWay;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean running = true;

    ClosedLoop(Contender contender, Workload workload) {
        this.contender = contender;
        this.orders = new Orders(workload.bytes());
        this.expected = workload.kind().end();
        this.underWay = new CountDownLatch(workload.inFlight());
        this.clients = contender.clients(workload.inFlight());
        for (int i = 0; i < workload.inFlight(); i++) {
            clients.execute(this::next);
        }
    }

    private void next() {
        if (!running || failure.get() != null) {
            underWay.countDown();
            return;
        }
        long from = System.nanoTime();
        started.increment();
        try {
            contender.start(orders.get()).whenComplete((end, why) -> ended(from, end, why));
        } catch (Exception | Error e) {
            failed(e);
        }
    }

    private void ended(long from, @Nullable End end, @Nullable Throwable why) {
        if (why != null || end != expected) {
            failed(why != null ? why : new IllegalStateException("a saga is " + end + ", not " + expected));
            return;
        }
        recorder.recordValue((System.nanoTime() - from) / 1000);
        clients.execute(this::next);
    }

    private void failed(Throwable why) {
        failure.compareAndSet(null, why);
        underWay.countDown();
    }

    /**
     * Lets it run for some time.
     *
     * @param length how long
     * @return the sagas that ended meanwhile
     * @throws InterruptedException when interrupted
     */
    Window measure(Duration length) throws InterruptedException {
        recorder.reset();
        long from = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(length.toNanos());
        Window window =
                new Window(recorder.getIntervalHistogram(), Duration.ofNanos(System.nanoTime() - from), Duration.ZERO);
        check();
        return window;
    }

    /** How many have been started. */
    long started() {
        return started.sum();
    }

    /** Lets all that is under way end. */
    @Override
    public void close() throws InterruptedException {
        running = false;
        boolean over = underWay.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (clients instanceof ExecutorService threads) {
            threads.shutdown();
        }
        check();
        if (!over) {
            throw new IllegalStateException(
                    underWay.getCount() + " sagas have not ended after " + PATIENCE_SECONDS + " s");
        }
    }

    private void check() {
        Throwable why = failure.get();
        if (why != null) {
            throw new IllegalStateException("a saga failed", why);
        }
    }
}
