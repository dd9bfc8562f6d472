package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.StepRejectedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How often, and how far apart, something is tried. Immutable; each verb gives a changed copy.
 *
 * <p>The delay after the nth failure is the initial one, doubled n - 1 times when exponential, and never more than the
 * greatest. Jitter only adds: no attempt comes earlier than asked, and the greatest delay includes it.
 */
public final class Retry {
    static final int FOREVER = 0;
    private static final int UNSAID = -1;
    private static final int STANDARD_ATTEMPTS = 3;
    private static final Duration LONGEST = Duration.ofDays(366);

    private final Duration initial;
    private final boolean doubling;
    private final int maxAttempts;
    private final Duration maxDelay;
    private final double jitter;
    private final List<Class<?>> rejectOn;
    private final List<Class<?>> retryOn;

    private Retry(
            Duration initial,
            boolean doubling,
            int maxAttempts,
            Duration maxDelay,
            double jitter,
            List<Class<?>> rejectOn,
            List<Class<?>> retryOn) {
        this.initial = initial;
        this.doubling = doubling;
        this.maxAttempts = maxAttempts;
        this.maxDelay = maxDelay;
        this.jitter = jitter;
        this.rejectOn = rejectOn;
        this.retryOn = retryOn;
    }

    /**
     * One attempt.
     *
     * @return the policy
     */
    public static Retry none() {
        return fixed(Duration.ofMillis(1)).maxAttempts(1);
    }

    /**
     * Attempts the same time apart; as many as the step's kind has unless said: 3, without end for a retriable step, 10 for a
     * compensation.
     *
     * @param delay more than zero, at most 366 days
     * @return the policy
     * @throws SagaDefinitionException {@code SAGA-DSL-010}
     */
    public static Retry fixed(Duration delay) {
        return new Retry(checked("delay", delay), false, UNSAID, LONGEST, 0, List.of(), List.of());
    }

    /**
     * Attempts further and further apart, jitter 0.2 and at most 5 minutes apart unless said. As many as the step's kind has
     * unless said: 3, without end for a retriable step, 10 for a compensation.
     *
     * @param initial more than zero, at most 366 days
     * @return the policy
     * @throws SagaDefinitionException {@code SAGA-DSL-010}
     */
    public static Retry exponential(Duration initial) {
        Duration first = checked("initial delay", initial);
        Duration most = Duration.ofMinutes(5);
        return new Retry(first, true, UNSAID, first.compareTo(most) > 0 ? first : most, 0.2, List.of(), List.of());
    }

    /**
     * Limits the attempts.
     *
     * @param attempts all of them, the first included: 1 to 1,000,000
     * @return a changed copy
     * @throws SagaDefinitionException {@code SAGA-DSL-009}
     */
    public Retry maxAttempts(int attempts) {
        if (attempts < 1 || attempts > 1_000_000) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-009", "maxAttempts is " + attempts + "; allowed are 1 to 1000000, or forever()");
        }
        return new Retry(initial, doubling, attempts, maxDelay, jitter, rejectOn, retryOn);
    }

    /**
     * Tries without end.
     *
     * @return a changed copy
     */
    public Retry forever() {
        return new Retry(initial, doubling, FOREVER, maxDelay, jitter, rejectOn, retryOn);
    }

    /**
     * Bounds the delay, jitter included.
     *
     * @param most at least the initial delay, at most 366 days
     * @return a changed copy
     * @throws SagaDefinitionException {@code SAGA-DSL-010}
     */
    public Retry maxDelay(Duration most) {
        if (checked("maxDelay", most).compareTo(initial) < 0) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-010", "maxDelay is " + most + ", less than the initial delay of " + initial);
        }
        return new Retry(initial, doubling, maxAttempts, most, jitter, rejectOn, retryOn);
    }

    /**
     * Spreads attempts that would else come together.
     *
     * @param share how much of the delay may be added at random, 0 to 1
     * @return a changed copy
     * @throws SagaDefinitionException {@code SAGA-DSL-010}
     */
    public Retry jitter(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new SagaDefinitionException("SAGA-DSL-010", "jitter is " + share + "; allowed are 0 to 1");
        }
        return new Retry(initial, doubling, maxAttempts, maxDelay, share, rejectOn, retryOn);
    }

    /**
     * Takes exceptions of these types, and their subtypes, as a business no.
     *
     * @param types exception types; added to those given before
     * @return a changed copy
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final Retry rejectOn(Class<? extends Throwable>... types) {
        return new Retry(
                initial,
                doubling,
                maxAttempts,
                maxDelay,
                jitter,
                joined("rejectOn", rejectOn, given("rejectOn", types)),
                retryOn);
    }

    /**
     * Retries only exceptions of these types, and their subtypes. Any other spends all attempts at once; its outcome is
     * still unknown.
     *
     * @param types exception types; added to those given before
     * @return a changed copy
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final Retry retryOn(Class<? extends Throwable>... types) {
        return new Retry(
                initial,
                doubling,
                maxAttempts,
                maxDelay,
                jitter,
                rejectOn,
                joined("retryOn", retryOn, given("retryOn", types)));
    }

    /** The attempts that hold where none are given. */
    Retry unlessSaid(int attempts) {
        return maxAttempts == UNSAID
                ? new Retry(initial, doubling, attempts, maxDelay, jitter, rejectOn, retryOn)
                : this;
    }

    Retry alsoRejectOn(List<? extends @Nullable Class<?>> types) {
        return new Retry(
                initial, doubling, maxAttempts, maxDelay, jitter, joined("rejectOn", rejectOn, types), retryOn);
    }

    /**
     * Whether no attempt is left.
     *
     * @param failures how many attempts have failed
     * @return true when they are all spent
     */
    public boolean spent(int failures) {
        return attempts() != FOREVER && failures >= attempts();
    }

    /**
     * How long to wait before the next attempt.
     *
     * @param failures how many attempts have failed, at least 1
     * @param random a draw, at least 0 and less than 1
     * @return the delay
     */
    public Duration delay(int failures, double random) {
        long least = initial.toNanos();
        double asked = least * (doubling ? Math.pow(2, failures - 1) : 1);
        double unjittered = Math.min(asked, Math.max(least, maxDelay.toNanos() / (1 + jitter)));
        long jittered = Math.round(unjittered * (1 + jitter * random));
        return Duration.ofNanos(Math.max(least, Math.min(jittered, maxDelay.toNanos())));
    }

    /**
     * Whether an exception is a business no.
     *
     * @param thrown what the action or compensation threw
     * @return true for {@link StepRejectedException} and the types of {@link #rejectOn}
     */
    public boolean rejects(Throwable thrown) {
        return thrown instanceof StepRejectedException || anyMatches(rejectOn, thrown);
    }

    /**
     * Whether an exception may be retried.
     *
     * @param thrown what the action or compensation threw
     * @return false only when {@link #retryOn} names types and this is none of them
     */
    public boolean retries(Throwable thrown) {
        return retryOn.isEmpty() || anyMatches(retryOn, thrown);
    }

    /**
     * The attempts in all.
     *
     * @return at least 1, or 0 for without end
     */
    public int attempts() {
        return maxAttempts == UNSAID ? STANDARD_ATTEMPTS : maxAttempts;
    }

    StepDescription.RetryDescription describe() {
        return new StepDescription.RetryDescription(
                attempts() == FOREVER ? null : attempts(),
                initial,
                doubling,
                maxDelay,
                jitter,
                rejectOn.stream().map(Class::getName).toList(),
                retryOn.stream().map(Class::getName).toList());
    }

    private static boolean anyMatches(List<Class<?>> types, Throwable thrown) {
        return types.stream().anyMatch(type -> type.isInstance(thrown));
    }

    private static List<Class<?>> given(String verb, Class<?> @Nullable [] types) {
        return Arrays.asList(Faults.present(types, "a retry policy", verb + "(types)"));
    }

    private static List<Class<?>> joined(String verb, List<Class<?>> before, List<? extends @Nullable Class<?>> added) {
        Stream<Class<?>> present = added.stream().map(type -> Faults.present(type, "a retry policy", verb + "(types)"));
        return Stream.concat(before.stream(), present).toList();
    }

    private static Duration checked(String what, @Nullable Duration given) {
        Duration delay = Faults.present(given, "a retry policy", what);
        if (delay.isNegative() || delay.isZero() || delay.compareTo(LONGEST) > 0) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-010", what + " is " + delay + "; allowed is more than zero, at most 366 days");
        }
        return delay;
    }

    @Override
    public String toString() {
        return (attempts() == FOREVER ? "forever" : attempts() + " attempts")
                + (doubling ? ", exponential from " : ", every ")
                + initial;
    }
}
