package io.backstep.saga.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RelayExecutorTest {
    private static final int MANY = 100;

    private final ExecutorService pool = Executors.newCachedThreadPool();

    /** Threads that have been asked for and have not begun. */
    private final Queue<Runnable> asked = new ArrayDeque<>();

    private final List<Integer> done = new ArrayList<>();
    private boolean full;

    private final RelayExecutor relay = new RelayExecutor(work -> {
        if (full) {
            throw new RejectedExecutionException("full");
        }
        asked.add(work);
    });

    @AfterEach
    void close() {
        pool.shutdownNow();
    }

    private void submit(int task) {
        relay.execute(() -> done.add(task));
    }

    @Test
    void many_short_tasks_wake_one_thread_and_the_next_only_when_that_has_come() {
        for (int i = 0; i < MANY; i++) {
            submit(i);
        }
        assertThat(asked).hasSize(1);

        asked.remove().run();

        assertThat(done).hasSize(MANY).isSorted();
        assertThat(asked).as("woken when there was more to do").hasSize(1);
        asked.remove().run();
        assertThat(asked).isEmpty();
    }

    @Test
    void what_comes_while_a_thread_is_woken_is_not_forgotten_and_neither_is_what_comes_later() {
        submit(1);
        Runnable woken = asked.remove();
        submit(2);
        woken.run();
        asked.remove().run();
        submit(3);
        asked.remove().run();
        assertThat(done).containsExactly(1, 2, 3);
        assertThat(asked).isEmpty();
    }

    @Test
    void tasks_that_wait_for_each_other_all_begin() throws InterruptedException {
        RelayExecutor real = new RelayExecutor(pool);
        CountDownLatch begun = new CountDownLatch(MANY);
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < MANY; i++) {
            real.execute(() -> {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        go.countDown();
    }

    @Test
    void none_is_lost_when_many_threads_submit() throws InterruptedException {
        RelayExecutor real = new RelayExecutor(pool);
        CountDownLatch ended = new CountDownLatch(8 * 10_000);
        for (int submitter = 0; submitter < 8; submitter++) {
            pool.execute(() -> {
                for (int i = 0; i < 10_000; i++) {
                    real.execute(ended::countDown);
                }
            });
        }
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_task_that_breaks_takes_no_other_with_it() {
        relay.execute(() -> {
            throw new IllegalStateException("a bug");
        });
        submit(1);
        asked.remove().run();
        assertThat(done).containsExactly(1);
    }

    @Test
    void what_the_threads_reject_is_rejected_and_never_run() {
        full = true;
        assertThatThrownBy(() -> submit(1)).isInstanceOf(RejectedExecutionException.class);
        full = false;
        submit(2);
        asked.remove().run();
        assertThat(done).containsExactly(2);
    }

    @Test
    void without_a_second_thread_the_first_does_everything() {
        submit(1);
        submit(2);
        full = true;
        asked.remove().run();
        assertThat(done).containsExactly(1, 2);
    }
}
