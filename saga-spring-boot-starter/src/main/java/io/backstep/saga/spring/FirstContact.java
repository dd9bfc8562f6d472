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

    /** While the database is away. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    /** While somebody has to mend something. */
    private static final Duration LONGEST_PAUSE_OF_FAULT = Duration.ofSeconds(30);

    /** A driver that opens a socket does not heed an interrupt. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(1);

    /** How long is waited before the next try. */
    interface Pauses {
        /**
         * The pause.
         *
         * @param tries that failed in the same way
         * @param away the database, or else somebody has to mend something
         */
        Duration after(int tries, boolean away);
    }

    /** The kind is the same at each try, the text need not be: pools tell how long they have waited. */
    private record Failure(String text, String kind, boolean away, Throwable cause) {
        private static Failure of(Throwable cause) {
            String text = cause instanceof SagaException ? String.valueOf(cause.getMessage()) : cause.toString();
            String code = cause instanceof SagaException told
                    ? told.code()
                    : cause.getClass().getName();
            String kind = code + " " + NoAnswer.innermostState(cause);
            return new Failure(Shown.line(text, LONGEST_TEXT), kind, NoAnswer.is(cause), cause);
        }

        private boolean isLike(@Nullable Failure other) {
            return other != null && away == other.away && (away || kind.equals(other.kind));
        }
    }

    private final boolean patient;
    private final Pauses pauses;
    private final Duration longestStop;
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
        this(patient, FirstContact::pause, LONGEST_STOP);
    }

    FirstContact(boolean patient, Pauses pauses, Duration longestStop) {
        this.patient = patient;
        this.pauses = pauses;
        this.longestStop = longestStop;
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
        if (isStopped()) {
            throw new IllegalStateException("the engine is CLOSED"); // as the engine says
        }
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
        while (!isStoppedWithin(pauses.after(tries, isAway()))) {
            Throwable why = takeWhatIsLeft();
            if (isStopped()) {
                return;
            }
            if (why == null) {
                answered();
                return;
            }
            boolean wasAway = isAway();
            failed(why);
            tries = wasAway == isAway() ? tries + 1 : 1;
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
        } catch (Throwable e) {
            return e;
        }
    }

    /** Longer each time, and by up to a half more: many nodes wait for the same database. */
    static Duration pause(int tries, boolean away) {
        Duration longest = away ? LONGEST_PAUSE : LONGEST_PAUSE_OF_FAULT;
        long nanos = Math.min(longest.toNanos(), FIRST_PAUSE.toNanos() << Math.min(tries - 1, 10));
        return Duration.ofNanos((long) (nanos * ThreadLocalRandom.current().nextDouble(1, 1.5)));
    }

    private boolean isAway() {
        Failure known = failure;
        return known == null || known.away();
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

    /** Who sees it in the health finds it in the log. */
    private void failed(Throwable why) {
        Failure now = Failure.of(why);
        if (!now.isLike(failure)) {
            tell(now);
        }
        failure = now;
    }

    private static void tell(Failure now) {
        if (now.away()) {
            LOG.warn(
                    "SAGA-DB-002: the database is away; the application starts without it, and sagas run when it answers: {}",
                    now.text());
        } else {
            LOG.error(
                    "{}; the application goes on, but no saga runs until that is mended; it is looked at again",
                    now.text(),
                    now.cause());
        }
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
        if (isStopped()) {
            return;
        }
        stopped.countDown();
        thread.interrupt();
        try {
            thread.join(longestStop.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failure = null;
    }
}
