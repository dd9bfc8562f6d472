package io.backstep.saga.spring;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.engine.StepView;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts what the engine of this node tells. Every meter has the tags {@code saga}, {@code step} and {@code reason}, whose values are
 * names in definitions and codes, or {@code none}: their number does not grow with the number of sagas.
 */
final class SagaMetrics implements SagaListener, SmartInitializingSingleton {
    private static final String NONE = "none";

    /** The first bucket is for no retry at all. Micrometer takes only bounds above 0; below 1 they mean the same for a count. */
    private static final double[] RETRY_BUCKETS = {1e-9, 1, 2, 3, 5, 10, 20};

    private final MeterRegistry registry;
    private final Supplier<List<SagaDefinition<?>>> definitions;
    private final StoredSagas stored;
    private final MeterProvider<Counter> started;
    private final MeterProvider<Counter> completed;
    private final MeterProvider<Counter> compensated;
    private final MeterProvider<Counter> failed;
    private final MeterProvider<Counter> lost;
    private final MeterProvider<Counter> signals;
    private final MeterProvider<Timer> duration;
    private final MeterProvider<DistributionSummary> retries;

    SagaMetrics(
            MeterRegistry registry,
            List<Duration> buckets,
            Supplier<List<SagaDefinition<?>>> definitions,
            StoredSagas stored) {
        this.registry = registry;
        this.definitions = definitions;
        this.stored = stored;
        started = counter(registry, "saga.started", "Sagas started on this node");
        completed = counter(registry, "saga.completed", "Sagas that ended with every step done");
        compensated = counter(registry, "saga.compensated", "Sagas that ended undone");
        failed = counter(registry, "saga.failed", "Sagas that were parked for an operator, each time");
        lost = counter(registry, "saga.lease.lost", "Sagas that this node has lost to another before it was done");
        signals = counter(
                registry,
                "saga.signals",
                "Signals sent on this node, and those that proved late, by what became of them");
        duration = Timer.builder("saga.duration")
                .description("From the start of a saga to its end")
                .serviceLevelObjectives(buckets.toArray(Duration[]::new))
                .withRegistry(registry);
        retries = DistributionSummary.builder("compensation.retries")
                .description("Attempts of a compensation after the first")
                .serviceLevelObjectives(RETRY_BUCKETS)
                .withRegistry(registry);
    }

    private static MeterProvider<Counter> counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).withRegistry(registry);
    }

    /** Rates need a zero to start from. */
    @Override
    public void afterSingletonsInstantiated() {
        Gauge.builder("saga.unknown", stored, StoredSagas::unknown)
                .description("Sagas that wait for a node that knows their version, which this one does not")
                .tags(tags(NONE, null, null))
                .register(registry);
        definitions.get().forEach(this::registerMeters);
    }

    private void registerMeters(SagaDefinition<?> definition) {
        Tags tags = tags(definition.name(), null, null);
        List.of(started, completed, compensated, failed, lost).forEach(counter -> counter.withTags(tags));
        duration.withTags(tags);
        Gauge.builder("saga.oldest.age", stored, all -> all.oldest(definition.name()))
                .description("How long the oldest saga that is under way has been so")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        definition.steps().stream()
                .filter(StepDefinition::isUndone)
                .map(StepDefinition::name)
                .forEach(step -> retries.withTags(tags(definition.name(), step, null)));
    }

    @Override
    public void started(SagaInstance saga) {
        started.withTags(tags(saga.name(), null, null)).increment();
    }

    @Override
    public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
        switch (saga.status()) {
            case COMPLETED -> ended(completed, saga, age);
            case COMPENSATED -> ended(compensated, saga, age);
            case FAILED -> failed.withTags(tags(saga)).increment();
            case RUNNING, COMPENSATING, FORCE_COMPLETED -> {}
        }
    }

    private void ended(MeterProvider<Counter> counter, SagaInstance saga, Duration age) {
        counter.withTags(tags(saga)).increment();
        duration.withTags(tags(saga.name(), null, saga.reason())).record(age);
    }

    @Override
    public void compensationEnded(SagaInstance saga, String step, boolean succeeded, int retried) {
        SagaReason reason = succeeded ? null : SagaReason.COMPENSATION_EXHAUSTED;
        retries.withTags(tags(saga.name(), step, reason)).record(retried);
    }

    @Override
    public void leaseLost(SagaInstance saga) {
        lost.withTags(tags(saga.name(), null, null)).increment();
    }

    @Override
    public void signalled(@Nullable String sagaName, String step, SignalOutcome outcome) {
        Tags tags = sagaName == null // the step may be any word of the sender's then
                ? Tags.of("saga", NONE, "step", NONE, "reason", outcome.name())
                : Tags.of("saga", sagaName, "step", step, "reason", outcome.name());
        signals.withTags(tags).increment();
    }

    private static Tags tags(SagaInstance saga) {
        return tags(saga.name(), stepOf(saga), saga.reason());
    }

    private static Tags tags(String saga, @Nullable String step, @Nullable SagaReason reason) {
        return Tags.of(
                "saga", saga, "step", step == null ? NONE : step, "reason", reason == null ? NONE : reason.name());
    }

    /** The step to look at: the one that turned the saga, or at which it is parked. */
    private static @Nullable String stepOf(SagaInstance saga) {
        SagaReason reason = saga.reason();
        if (reason == null) {
            return null;
        }
        return switch (reason) {
            case COMPENSATION_EXHAUSTED -> first(saga, StepStatus.COMPENSATION_FAILED);
            case DEADLINE_EXCEEDED, CANCELLED, OPERATOR, PARENT, UNREADABLE, STEP_UNKNOWN -> null;
            case REJECTED -> {
                String rejected = first(saga, StepStatus.REJECTED);
                yield rejected == null ? lastBegun(saga) : rejected;
            }
            case RETRIABLE_EXHAUSTED, RETRIABLE_REJECTED, TAKEOVER_LIMIT -> {
                String confirming = first(saga, StepStatus.CONFIRMING);
                yield confirming == null ? lastBegun(saga) : confirming;
            }
            case UNANSWERED, WAIT_TIMEOUT, ATTEMPTS_EXHAUSTED, PIVOT_UNKNOWN, RESULT_TOO_LARGE, RESULT_UNREADABLE ->
                lastBegun(saga);
        };
    }

    private static @Nullable String first(SagaInstance saga, StepStatus status) {
        return saga.steps().stream()
                .filter(step -> step.status() == status)
                .map(StepView::name)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String lastBegun(SagaInstance saga) {
        return saga.steps().stream()
                .filter(step -> step.status() != StepStatus.PENDING && step.status() != StepStatus.SKIPPED)
                .reduce((earlier, later) -> later)
                .map(StepView::name)
                .orElse(null);
    }
}
