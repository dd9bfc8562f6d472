package io.backstep.saga.definition;

import io.backstep.saga.Phase;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One step, as data. The lambdas are kept with their types erased; the DSL is what made them fit.
 *
 * @param name unique in its saga
 * @param kind what it promises
 * @param resultType the full type of its result, or null when it has none
 * @param transactional whether the action runs in one database transaction with its record
 * @param waitsFor the names of the steps that must be done before it, in the order of their declaration: recorded as a success or as
 *     skipped, or best-effort and given up
 * @param condition whether it is run, asked when it could begin; null for always
 * @param waiting what it waits for, or null when it does not wait
 * @param child the saga that it starts, or null
 * @param action what it does; makes the input of the child where there is one; of a step that only waits it is not called
 * @param compensation how it is undone, or null
 * @param settlement what its compensation waits for once it was called, or null
 * @param noCompensation why it need not be undone, or null
 * @param confirming how it is confirmed once the saga is decided; null unless it is a TCC step
 * @param probe asks whether the action took effect, when nobody knows; null when nothing can be asked
 * @param rejectionIsDefinite whether a business no means that no earlier attempt took effect either
 * @param atMostOnce whether the action is not called again once it may have taken effect
 * @param retry for the action, and for asking the probe
 * @param timeout for one attempt of the action, or of the probe, from its call
 * @param compensationTransactional whether the compensation runs in one database transaction with its record
 * @param compensationRetry for the compensation
 * @param compensationTimeout for one attempt of the compensation, from its call
 */
public record StepDefinition(
        String name,
        StepKind kind,
        @Nullable Type resultType,
        boolean transactional,
        List<String> waitsFor,
        @Nullable Predicate<SagaData<Object>> condition,
        @Nullable Waiting waiting,
        @Nullable ChildSaga child,
        Action<Object, Object> action,
        @Nullable Compensation<Object, Object> compensation,
        @Nullable Settlement settlement,
        @Nullable String noCompensation,
        @Nullable Confirming confirming,
        @Nullable Action<Object, Probe<Object>> probe,
        boolean rejectionIsDefinite,
        boolean atMostOnce,
        Retry retry,
        Duration timeout,
        boolean compensationTransactional,
        Retry compensationRetry,
        Duration compensationTimeout) {
    /** The timeout of an attempt when none is given. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    /** Copies the names. */
    public StepDefinition {
        waitsFor = List.copyOf(waitsFor);
    }

    /**
     * Whether undoing the step means that its child is undone.
     *
     * @return true for a compensatable step that starts a child and says nothing else of its compensation
     */
    public boolean undoneByChild() {
        return child != null && kind == StepKind.COMPENSATABLE && compensation == null && noCompensation == null;
    }

    /**
     * Whether there is something to do when the step is to be undone.
     *
     * @return true when it has a compensation, or is {@link #undoneByChild() undone by its child}
     */
    public boolean isUndone() {
        return compensation != null || undoneByChild();
    }

    /**
     * What a signal must be sent to so that this step takes it.
     *
     * @return its own name when it waits for a signal, else the one that its compensation awaits; or null
     */
    public @Nullable String signal() {
        if (waiting != null && waiting.what() == Waiting.What.SIGNAL) {
            return name;
        }
        return settlement == null ? null : settlement.signal();
    }

    /**
     * What a signal to this step brings.
     *
     * @return the full type, or null when it takes none
     */
    public @Nullable Type signalType() {
        return settlement == null ? resultType : settlement.type();
    }

    /**
     * The policy for attempts of a phase.
     *
     * @param phase condition, action, probe, compensation or confirm
     * @return how often, and how far apart
     */
    public Retry retry(Phase phase) {
        return switch (phase) {
            case COMPENSATION -> compensationRetry;
            case CONFIRM -> confirming == null ? retry : confirming.retry();
            default -> retry;
        };
    }

    /**
     * How long an attempt of a phase may take.
     *
     * @param phase condition, action, probe, compensation or confirm
     * @return from its call
     */
    public Duration timeout(Phase phase) {
        return switch (phase) {
            case COMPENSATION -> compensationTimeout;
            case CONFIRM -> confirming == null ? timeout : confirming.timeout();
            default -> timeout;
        };
    }

    /**
     * Whether attempts of a phase run in one database transaction with their record.
     *
     * @param phase condition, action, probe, compensation or confirm
     * @return false of what only asks, and of a confirm
     */
    public boolean transactional(Phase phase) {
        return switch (phase) {
            case ACTION -> transactional;
            case COMPENSATION -> compensationTransactional;
            default -> false;
        };
    }

    /**
     * The same step with other code to confirm it.
     *
     * @param otherConfirming how it is confirmed, or null
     * @return a changed copy
     */
    public StepDefinition confirming(@Nullable Confirming otherConfirming) {
        return new StepDefinition(
                name,
                kind,
                resultType,
                transactional,
                waitsFor,
                condition,
                waiting,
                child,
                action,
                compensation,
                settlement,
                noCompensation,
                otherConfirming,
                probe,
                rejectionIsDefinite,
                atMostOnce,
                retry,
                timeout,
                compensationTransactional,
                compensationRetry,
                compensationTimeout);
    }

    /**
     * The same step with other code.
     *
     * @param otherAction what it does
     * @param otherProbe asks whether the action took effect, or null
     * @param otherCompensation how it is undone, or null
     * @return a changed copy
     */
    public StepDefinition calling(
            Action<Object, Object> otherAction,
            @Nullable Action<Object, Probe<Object>> otherProbe,
            @Nullable Compensation<Object, Object> otherCompensation) {
        return new StepDefinition(
                name,
                kind,
                resultType,
                transactional,
                waitsFor,
                condition,
                waiting,
                child,
                otherAction,
                otherCompensation,
                settlement,
                noCompensation,
                confirming,
                otherProbe,
                rejectionIsDefinite,
                atMostOnce,
                retry,
                timeout,
                compensationTransactional,
                compensationRetry,
                compensationTimeout);
    }
}
