package io.backstep.saga.participant;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import io.backstep.saga.Step;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.SystemPorts;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what is asked for under a key once, and gives the same answer to whoever asks again, for a time: for requests of clients, which
 * have no compensation. Callers that come at once wait for the one that does it. Immutable, safe for use by many threads.
 *
 * <p>The key is taken before the work, and its result stored after it, each in a transaction of its own: call it outside of any, and let the
 * work have its own. When the process dies in between, the same request may do the work again, after its limit. What must not happen twice
 * even then needs a {@link ParticipantGuard}.
 */
public final class IdempotencyHandler {
    private static final Logger log = LoggerFactory.getLogger(IdempotencyHandler.class);
    private static final int LONGEST_KEY = 200;

    /** Stands where a result would, and is none: JSON never begins so. */
    private static final String NOT_KEPT = "!";

    private static final int BATCH = 500;
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

    private final IdempotencyStore store;
    private final Settings settings;
    private final Ids ids = SystemPorts.ids();
    private final MonotonicClock clock = SystemPorts.clock();
    private final Waits waits = SystemPorts.waits();
    private final Json json = new Json();

    /**
     * How long things take.
     *
     * @param timeToLive for how long an answer is kept
     * @param limit for how long one caller may work before another may take the request over; longer than the work can take
     * @param patience for how long a caller waits for another that works on the same request
     */
    public record Settings(Duration timeToLive, Duration limit, Duration patience) {
        /** A day, a minute, ten seconds. */
        public static final Settings DEFAULT =
                new Settings(Duration.ofDays(1), Duration.ofMinutes(1), Duration.ofSeconds(10));

        /**
         * Checks them.
         *
         * @throws IllegalArgumentException when one is negative, the first two are not more than zero, or the time to live is shorter
         *     than the limit
         */
        public Settings {
            if (limit.isNegative() || limit.isZero() || patience.isNegative() || timeToLive.compareTo(limit) < 0) {
                throw new IllegalArgumentException("time to live " + timeToLive + ", limit " + limit + ", patience "
                        + patience + "; the limit must be more than zero, the time to live at least the limit,"
                        + " the patience not negative");
            }
        }
    }

    /**
     * Makes a handler.
     *
     * @param store where the answers are
     * @param settings how long things take
     */
    public IdempotencyHandler(IdempotencyStore store, Settings settings) {
        this.store = store;
        this.settings = settings;
    }

    /**
     * Does it, or answers what came of it before.
     *
     * @param key chosen by whoever asks, 1 to 200 characters; not shared between clients that do not trust each other
     * @param operation what is done, and the type of its result
     * @param request the request as text: another one under the same key is refused
     * @param work does it; its result is stored as JSON, which no {@link io.backstep.saga.serialization.PayloadCodec} encodes; when it throws, nothing is stored and the next caller tries again
     * @param <R> the result
     * @return the result, or that of the first caller
     * @throws SagaDefinitionException {@code SAGA-DSL-017} when such a result cannot be stored: nothing was done
     * @throws OperationBusyException when another caller is still at it and patience is over; try again later
     * @throws ResultNotKeptException when it was done before, and its result was null, too large or not to be stored: only the first caller
     *     has it
     * @throws OperationLostException when the work took longer than its limit and another caller has taken it over
     * @throws SagaRequestException {@code SAGA-REQ-001} for a bad key, {@code SAGA-GRD-003} for another request
     * @throws Exception what the work threw
     */
    public <R> R once(String key, Step<R> operation, String request, Callable<R> work) throws Exception {
        SagaRequestException.requireText("idempotencyKey", key, LONGEST_KEY);
        Results.requireStorable(operation, json);
        IdempotencyClaim claim = new IdempotencyClaim(
                key, fingerprint(operation, request), ids.next(), settings.limit(), settings.timeToLive());
        Results<R> results = Results.of(operation, json);
        long start = clock.nanos();
        Duration pause = Duration.ofMillis(5);
        while (true) {
            IdempotencyRow row = store.claim(claim);
            if (row.token().equals(claim.token())) {
                return done(claim, results, work);
            }
            requireSame(claim, row);
            if (row.result() != null) {
                return kept(key, results, row.result());
            }
            boolean over = clock.nanos() - start >= settings.patience().toNanos();
            if (over || !waits.on(new CompletableFuture<>(), pause)) {
                throw new OperationBusyException("the request " + Shown.quoted(key), false, null);
            }
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        }
    }

    private <R> R done(IdempotencyClaim claim, Results<R> results, Callable<R> work) throws Exception {
        R result;
        try {
            result = work.call();
        } catch (Throwable failure) {
            release(claim.key(), claim.token(), failure);
            throw failure;
        }
        String stored = stored(claim, results, result);
        if (!store.complete(claim.key(), claim.token(), stored, settings.timeToLive())) {
            throw new OperationLostException("the request " + Shown.quoted(claim.key()));
        }
        return result;
    }

    /** What was done is never done again, whether its result can be kept or not. */
    private static <R> String stored(IdempotencyClaim claim, Results<R> results, R result) {
        try {
            return Objects.requireNonNull(results.write(result));
        } catch (SagaSerializationException | NullPointerException e) {
            log.warn(
                    "the request {} was done, and its result cannot be kept: {}",
                    Shown.quoted(claim.key()),
                    e.toString());
            return NOT_KEPT;
        }
    }

    private static <R> R kept(String key, Results<R> results, String stored) {
        if (stored.equals(NOT_KEPT)) {
            throw new ResultNotKeptException("the request " + Shown.quoted(key));
        }
        return results.read(stored);
    }

    private void release(String key, UUID token, Throwable failure) {
        try {
            store.release(key, token);
        } catch (RuntimeException e) {
            failure.addSuppressed(e); // the limit will be over
        }
    }

    /** The parts are told apart, whatever is in them. */
    private String fingerprint(Step<?> operation, String request) {
        return json.hash(json.write("the request", List.of(operation.name(), request)));
    }

    private static void requireSame(IdempotencyClaim claim, IdempotencyRow row) {
        if (!row.fingerprint().equals(claim.fingerprint())) {
            throw new SagaRequestException(
                    "SAGA-GRD-003",
                    "idempotencyKey",
                    "key " + Shown.quoted(claim.key()) + " was used for another request; each needs a key of its own");
        }
    }

    /**
     * Deletes what is past its time to live, in batches. Answers that are over are not given in any case: this keeps the table small.
     *
     * @return how many were found
     */
    public int purge() {
        int all = 0;
        int found;
        do {
            found = store.purge(BATCH);
            all += found;
        } while (found == BATCH);
        return all;
    }
}
