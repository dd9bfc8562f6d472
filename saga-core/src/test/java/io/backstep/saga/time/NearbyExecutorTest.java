package io.backstep.saga.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class NearbyExecutorTest {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final RelayExecutor workers = new RelayExecutor(threads::add);
    private final Handed pool = new Handed();
    private final NearbyExecutor nearby = new NearbyExecutor(workers, pool);
    private final List<String> done = new ArrayList<>();

    /** Keeps what it is handed. */
    private static final class Handed extends AbstractExecutorService {
        private final List<Runnable> tasks = new ArrayList<>();
        private boolean shut;

        @Override
        public void execute(Runnable task) {
            if (shut) {
                throw new RejectedExecutionException("shut");
            }
            tasks.add(task);
        }

        @Override
        public void shutdown() {
            shut = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shut = true;
            return tasks;
        }

        @Override
        public boolean isShutdown() {
            return shut;
        }

        @Override
        public boolean isTerminated() {
            return shut;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private void note() {
        nearby.execute(() -> done.add("here"));
    }

    @Test
    void the_only_worker_with_nothing_else_to_do_runs_it_itself() {
        workers.execute(this::note);
        threads.remove().run();

        assertThat(done).containsExactly("here");
        assertThat(pool.tasks).isEmpty();
    }

    @Test
    void nobody_else_does() {
        note();

        assertThat(done).isEmpty();
        assertThat(pool.tasks).hasSize(1);
    }

    @Test
    void a_worker_that_has_more_to_do_hands_it_over() {
        workers.execute(this::note);
        workers.execute(() -> done.add("the rest"));
        threads.remove().run();

        assertThat(pool.tasks).hasSize(1);
        assertThat(done).containsExactly("the rest");
    }

    @Test
    void a_worker_beside_another_hands_it_over() {
        workers.execute(() -> {
            workers.execute(this::note);
            threads.remove().run(); // as if on a second thread
        });
        threads.remove().run();

        assertThat(pool.tasks).hasSize(1);
        assertThat(done).isEmpty();
    }

    @Test
    void what_may_be_interrupted_hands_it_over() {
        InterruptibleRun run = new InterruptibleRun();
        workers.execute(() -> run.run(() -> {
            note();
            return null;
        }));
        threads.remove().run();

        assertThat(pool.tasks).hasSize(1);
    }

    @Test
    void one_within_another_is_handed_over() {
        workers.execute(() -> nearby.execute(this::note));
        threads.remove().run();

        assertThat(pool.tasks).hasSize(1);
        workers.execute(this::note);
        threads.remove().run();
        assertThat(done).as("the next one is not").containsExactly("here");
    }

    @Test
    void threads_of_the_applications_never_run_it() {
        ExecutorService handed = new Handed();
        NearbyExecutor beside = new NearbyExecutor(Runnable::run, handed);
        beside.execute(() -> done.add("here"));

        assertThat(done).isEmpty();
    }

    @Test
    void after_the_end_nothing_is_run() {
        nearby.close();
        AtomicBoolean rejected = new AtomicBoolean();
        workers.execute(() -> {
            try {
                note();
            } catch (RejectedExecutionException e) {
                rejected.set(true);
            }
        });
        threads.remove().run();

        assertThat(rejected).isTrue();
        assertThat(done).isEmpty();
    }
}
