package io.backstep.saga.definition;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a definition says of a step, without its code.
 *
 * @param name unique in its saga
 * @param kind what it promises
 * @param waitsFor the steps directly before it
 * @param conditional whether it has a condition, and may be skipped
 * @param waiting what it waits for instead of calling somebody, or null
 * @param transactional whether the action runs in one database transaction with its record
 * @param child the saga that it starts, or null
 * @param resultType the full name of the result's type, or null when it has none
 * @param probed whether it has a probe, which is asked when nobody knows whether the action took effect
 * @param rejectionIsDefinite whether a business no means that no earlier attempt took effect either
 * @param atMostOnce whether the action is not called again once it may have taken effect
 * @param retry for the action, and for asking the probe
 * @param timeout for one attempt of the action, or of the probe
 * @param compensation how it is undone, or null when it has no compensation
 * @param noCompensation why it need not be undone, or null
 * @param confirm how it is confirmed once the saga is decided; null unless it is a TCC step
 */
public record StepDescription(
        String name,
        StepKind kind,
        List<String> waitsFor,
        boolean conditional,
        @Nullable Waiting waiting,
        boolean transactional,
        @Nullable ChildDescription child,
        @Nullable String resultType,
        boolean probed,
        boolean rejectionIsDefinite,
        boolean atMostOnce,
        RetryDescription retry,
        Duration timeout,
        @Nullable CompensationDescription compensation,
        @Nullable String noCompensation,
        @Nullable ConfirmDescription confirm) {
    /**
     * What a definition says of a compensation.
     *
     * @param transactional whether it runs in one database transaction with its record
     * @param retry for the compensation
     * @param timeout for one attempt
     * @param awaits what it waits for once it was called, or null
     */
    public record CompensationDescription(
            boolean transactional,
            RetryDescription retry,
            Duration timeout,
            @Nullable SettlementDescription awaits) {}

    /**
     * What a definition says of what a compensation waits for.
     *
     * @param signal the name that the signal is sent to
     * @param type the full name of the type of what it brings
     * @param time how long it is waited for
     */
    public record SettlementDescription(String signal, String type, Duration time) {
        static @Nullable SettlementDescription of(@Nullable Settlement settlement) {
            return settlement == null
                    ? null
                    : new SettlementDescription(
                            settlement.signal(), settlement.type().getTypeName(), settlement.time());
        }

        private Map<String, @Nullable Object> object() {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("signal", signal);
            object.put("type", type);
            object.put("time", time);
            return object;
        }
    }

    /**
     * What a definition says of a confirm.
     *
     * @param retry for the confirm
     * @param timeout for one attempt
     */
    public record ConfirmDescription(RetryDescription retry, Duration timeout) {
        private static @Nullable ConfirmDescription of(@Nullable Confirming confirming) {
            return confirming == null
                    ? null
                    : new ConfirmDescription(confirming.retry().describe(), confirming.timeout());
        }

        private Map<String, @Nullable Object> object() {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("retry", retry.object());
            object.put("timeout", timeout);
            return object;
        }
    }

    /**
     * What a definition says of the saga that a step starts.
     *
     * @param saga the name of its type
     * @param version the version, or null for the highest that the node knows
     * @param output the step of it whose result becomes the result of this one, or null
     */
    public record ChildDescription(
            String saga,
            @Nullable Integer version,
            @Nullable String output) {
        private static @Nullable ChildDescription of(@Nullable ChildSaga child) {
            return child == null
                    ? null
                    : new ChildDescription(
                            child.type().name(),
                            child.version() == 0 ? null : child.version(),
                            child.output() == null ? null : child.output().name());
        }

        private Map<String, @Nullable Object> object() {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("saga", saga);
            object.put("version", version);
            object.put("output", output);
            return object;
        }
    }

    /**
     * A retry policy.
     *
     * @param attempts how many in all, or null for no limit
     * @param delay before the second attempt
     * @param doubling whether each delay is twice the one before
     * @param maxDelay the longest delay
     * @param jitter the share by which delays are spread, 0 to 1
     * @param rejectOn the full names of the exceptions that mean a business no
     * @param retryOn the full names of the only exceptions that are retried; empty for all
     */
    public record RetryDescription(
            @Nullable Integer attempts,
            Duration delay,
            boolean doubling,
            Duration maxDelay,
            double jitter,
            List<String> rejectOn,
            List<String> retryOn) {
        /** Copies the lists. */
        public RetryDescription {
            rejectOn = List.copyOf(rejectOn);
            retryOn = List.copyOf(retryOn);
        }

        private Map<String, @Nullable Object> object() {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("attempts", attempts);
            object.put("delay", delay);
            object.put("doubling", doubling);
            object.put("maxDelay", maxDelay);
            object.put("jitter", jitter);
            object.put("rejectOn", rejectOn);
            object.put("retryOn", retryOn);
            return object;
        }
    }

    /** Copies the list. */
    public StepDescription {
        waitsFor = List.copyOf(waitsFor);
    }

    static StepDescription of(StepDefinition step, List<String> directlyBefore) {
        Type result = step.resultType();
        return new StepDescription(
                step.name(),
                step.kind(),
                directlyBefore,
                step.condition() != null,
                step.waiting(),
                step.transactional(),
                ChildDescription.of(step.child()),
                result == null ? null : result.getTypeName(),
                step.probe() != null,
                step.rejectionIsDefinite(),
                step.atMostOnce(),
                step.retry().describe(),
                step.timeout(),
                step.compensation() == null
                        ? null
                        : new CompensationDescription(
                                step.compensationTransactional(),
                                step.compensationRetry().describe(),
                                step.compensationTimeout(),
                                SettlementDescription.of(step.settlement())),
                step.noCompensation(),
                ConfirmDescription.of(step.confirming()));
    }

    Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("name", name);
        object.put("kind", kind);
        object.put("waitsFor", waitsFor);
        object.put("conditional", conditional);
        object.put("waiting", waiting == null ? null : object(waiting));
        object.put("transactional", transactional);
        object.put("child", child == null ? null : child.object());
        object.put("resultType", resultType);
        object.put("probed", probed);
        object.put("rejectionIsDefinite", rejectionIsDefinite);
        object.put("atMostOnce", atMostOnce);
        object.put("retry", retry.object());
        object.put("timeout", timeout);
        object.put("compensation", compensation == null ? null : object(compensation));
        object.put("noCompensation", noCompensation);
        if (confirm != null) {
            object.put("confirm", confirm.object());
        }
        return object;
    }

    private static Map<String, @Nullable Object> object(Waiting waiting) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("what", waiting.what());
        object.put("time", waiting.time());
        return object;
    }

    private static Map<String, @Nullable Object> object(CompensationDescription compensation) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("transactional", compensation.transactional());
        object.put("retry", compensation.retry().object());
        object.put("timeout", compensation.timeout());
        if (compensation.awaits() != null) {
            object.put("awaits", compensation.awaits().object());
        }
        return object;
    }
}
