package io.backstep.saga.spring;

import io.backstep.saga.SagaException;
import io.backstep.saga.Shown;
import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What needs the database before sagas can run, in its order: tables, store, a look at the transactions, the start of the engine. Each step
 * is taken at once, and its failure ends the start of the application. Where that may start without its database and the database is
 * away, the step and all after it are taken as soon as it answers; what is then found wrong is told, and looked at again.
 */
final class FirstContact {
    private static final Logger LOG = LoggerFactory.getLogger(FirstContact.class);
    private static final int LONGEST_TEXT = 1000;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** While the database is away: sagas go on within 10 s after it is back, also where a failed try takes seconds. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    /** While somebody has to mend something. */
    private static final Duration LONGEST_PAUSE_OF_FAULT = Duration.ofSeconds(30);

    /** A driver that opens a socket does not heed an interrupt. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(1);

    private record Failure(String text, boolean away, Throwable cause) {
        private static Failure of(Throwable cause) {
            String text = cause instanceof SagaException ? String.valueOf(cause.getMessage()) : cause.toString();
            return new Failure(Shown.line(text, LONGEST_TEXT), NoAnswer.is(cause), cause);
        }

        private boolean saysTheSameAs(@Nullable Failure other) {
            return other != null && away == other.away && (away || text.equals(other.text));
        }
    }

    private final boolean patient;
    private final Queue<Runnable> left = new ArrayDeque<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::goOnUntilDone, "saga-first-contact");
    private volatile @Nullable Failure failure;
    private volatile long since;

    /**
     * Makes it; nothing is done yet.
     *
     * @param patient whether a database that is away is waited for
     */
    FirstContact(boolean patient) {
        this.patient = patient;
        thread.setDaemon(true);
    }

    /** Takes a step now, or after those that wait. */
    void need(Runnable step) {
        if (!isBehindOthers(step)) {
            try {
                step.run();
            } catch (RuntimeException e) {
                if (!patient || !NoAnswer.is(e)) {
                    throw e;
                }
                since = System.nanoTime();
                failed(e);
                add(step);
            }
        }
    }

    /** The application is ready to go on without what is left. */
    void goOn() {
        if (next() != null) {
            thread.start();
        }
    }

    private synchronized void add(Runnable step) {
        left.add(step);
    }

    private synchronized boolean isBehindOthers(Runnable step) {
        return !left.isEmpty() && left.add(step);
    }

    private synchronized @Nullable Runnable next() {
        return left.peek();
    }

    private synchronized void done() {
        left.remove();
    }

    private void goOnUntilDone() {
        int tries = 1;
        while (!isStoppedWithin(pause(tries))) {
            Throwable why = takeWhatIsLeft();
            if (isStopped()) {
                return;
            }
            if (why == null) {
                answered();
                return;
            }
            tries = failed(why) ? 1 : tries + 1;
        }
    }

    /** Up to the first that fails. */
    private @Nullable Throwable takeWhatIsLeft() {
        try {
            for (Runnable step = next(); step != null && !isStopped(); step = next()) {
                step.run();
                done();
            }
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /** Longer each time, and by up to a half more: many nodes wait for the same database. */
    private Duration pause(int tries) {
        Failure known = failure;
        Duration longest = known == null || known.away() ? LONGEST_PAUSE : LONGEST_PAUSE_OF_FAULT;
        long nanos = Math.min(longest.toNanos(), FIRST_PAUSE.toNanos() << Math.min(tries - 1, 10));
        return Duration.ofNanos((long) (nanos * ThreadLocalRandom.current().nextDouble(1, 1.5)));
    }

    private boolean isStoppedWithin(Duration pause) {
        try {
            return stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true; // only we interrupt it
        }
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Whether that is news. */
    private boolean failed(Throwable why) {
        Failure now = Failure.of(why);
        boolean news = !now.saysTheSameAs(failure);
        failure = now;
        if (news && now.away()) {
            LOG.warn(
                    "SAGA-DB-002: the database is away; the application starts without it, and sagas run when it answers: {}",
                    now.text());
        } else if (news) {
            LOG.error(
                    "{}; the application goes on, but no saga runs until that is mended; it is looked at again",
                    now.text(),
                    why);
        }
        return news;
    }

    private void answered() {
        failure = null;
        Duration away = Duration.ofNanos(System.nanoTime() - since);
        LOG.info("the database answers, after {}; sagas run", Duration.ofSeconds(away.toSeconds()));
    }

    /**
     * Refuses what needs the store, while that is waited for.
     *
     * @param code of the refusal
     * @param what was wanted
     */
    void refuseWhileWaiting(String code, String what) {
        Failure known = failure;
        if (known != null) {
            throw new SagaStoreException(
                    code,
                    what + ": the database has not answered as it should since the application started; nothing was"
                            + " written; try again: " + known.text(),
                    Effect.NONE,
                    known.cause());
        }
    }

    /** An engine that was closed while its definitions were made known must not start afterwards. */
    void refuseWhenStopped() {
        if (isStopped()) {
            throw new IllegalStateException("the application is closed");
        }
    }

    /**
     * How the node is.
     *
     * @param engine what the engine says
     * @return that, or what the engine waits for
     */
    EngineStatus status(EngineStatus engine) {
        Failure known = failure;
        return known == null ? engine : new EngineStatus(false, engine.held(), !known.away(), known.text());
    }

    /** Takes no further step. Ends at once, but for a driver that hangs: its call is left alone, and does nothing any more. */
    void stop() {
        stopped.countDown();
        thread.interrupt();
        try {
            thread.join(LONGEST_STOP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failure = null;
    }
}
