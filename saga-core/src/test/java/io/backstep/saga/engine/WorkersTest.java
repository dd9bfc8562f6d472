package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private static final int MANY = 100;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger handedOver = new AtomicInteger();
    private final CountDownLatch begins = new CountDownLatch(1);
    private final Workers workers = new Workers(
            task -> {
                handedOver.incrementAndGet();
                threads.execute(task);
            },
            (delay, task) -> () -> {},
            1);

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private void submit(CountDownLatch ended) {
        workers.submit(() -> {
            await(begins);
            workers.done();
            ended.countDown();
        });
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void a_thread_whose_attempt_has_ended_takes_what_waits_itself() {
        CountDownLatch ended = new CountDownLatch(MANY);
        for (int i = 0; i < MANY; i++) {
            submit(ended);
        }
        begins.countDown();

        assertThat(await(ended)).isTrue();
        assertThat(handedOver).hasValue(1);
    }

    @Test
    void the_place_of_an_attempt_that_is_given_up_is_free_though_its_thread_hangs() {
        CountDownLatch hangs = new CountDownLatch(1);
        workers.submit(() -> await(hangs));
        CountDownLatch ended = new CountDownLatch(1);
        submit(ended);
        begins.countDown();

        workers.done();

        assertThat(await(ended)).isTrue();
        assertThat(hangs.getCount()).isEqualTo(1);
        hangs.countDown();
    }

    @Test
    void an_attempt_that_breaks_stops_no_other() {
        CountDownLatch ended = new CountDownLatch(1);
        workers.submit(() -> {
            await(begins);
            workers.done();
            throw new IllegalStateException("a bug");
        });
        submit(ended);
        begins.countDown();

        assertThat(await(ended)).isTrue();
    }
}
