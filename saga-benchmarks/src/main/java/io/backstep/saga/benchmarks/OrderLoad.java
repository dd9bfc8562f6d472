package io.backstep.saga.benchmarks;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.StartOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** A closed loop: so many clients, each of which starts a saga with a key of its own, waits until its end is durable, and again. */
final class OrderLoad implements AutoCloseable {
    private static final long IDLE = -1;
    private static final AtomicLong ORDERS = new AtomicLong();

    private final SagaClient sagas;
    private final Ends ends;
    private final Recorder recorder = new Recorder(3);
    private final AtomicLongArray begun;
    private final List<Thread> clients = new ArrayList<>();
    private volatile boolean running = true;
    private volatile @Nullable Throwable failure;

    OrderLoad(SagaClient sagas, Ends ends, int inFlight) {
        this.sagas = sagas;
        this.ends = ends;
        this.begun = new AtomicLongArray(inFlight);
        for (int i = 0; i < inFlight; i++) {
            int number = i;
            Thread client = new Thread(() -> loop(number), "client-" + i);
            client.setDaemon(true);
            clients.add(client);
            begun.set(i, IDLE);
        }
        clients.forEach(Thread::start);
    }

    Window measure(Duration length) throws InterruptedException {
        recorder.reset();
        long from = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(length.toNanos());
        Window window =
                new Window(recorder.getIntervalHistogram(), Duration.ofNanos(System.nanoTime() - from), oldestOpen());
        if (failure != null) {
            throw new IllegalStateException("a client failed", failure);
        }
        return window;
    }

    private Duration oldestOpen() {
        long now = System.nanoTime();
        long oldest = 0;
        for (int i = 0; i < begun.length(); i++) {
            long began = begun.get(i);
            oldest = began == IDLE ? oldest : Math.max(oldest, now - began);
        }
        return Duration.ofNanos(oldest);
    }

    private void loop(int client) {
        try {
            while (running) {
                long from = System.nanoTime();
                begun.set(client, from);
                String key = "order-" + ORDERS.incrementAndGet();
                UUID saga = sagas.start(Order.TYPE, Order.named(key), StartOptions.businessKey(key))
                        .sagaId();
                SagaStatus end = ends.await(saga);
                begun.set(client, IDLE);
                recorder.recordValue((System.nanoTime() - from) / 1000);
                if (end != SagaStatus.COMPLETED) {
                    throw new IllegalStateException("saga " + saga + " is " + end);
                }
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    @Override
    public void close() throws InterruptedException {
        running = false;
        for (Thread client : clients) {
            client.join(30_000);
            if (client.isAlive()) {
                throw new IllegalStateException(client.getName() + " still waits for its saga");
            }
        }
    }
}
