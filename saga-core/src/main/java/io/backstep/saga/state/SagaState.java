package io.backstep.saga.state;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a saga stands: all that the machine knows of it. All times are counted from the creation of the saga.
 *
 * @param status its status
 * @param turned why it turned, or null while it goes forward
 * @param pending why it will turn when the pivot turns out to have had no effect; void once the pivot is recorded
 * @param parked why it is FAILED, else null
 * @param deadline when it turns by itself, or null
 * @param steps one for each step of the definition, in its order
 */
public record SagaState(
        SagaStatus status,
        @Nullable SagaReason turned,
        @Nullable SagaReason pending,
        @Nullable SagaReason parked,
        @Nullable Duration deadline,
        List<StepState> steps) {
    /** Copies the steps. */
    public SagaState {
        steps = List.copyOf(steps);
    }

    SagaState with(List<StepState> others) {
        return new SagaState(status, turned, pending, parked, deadline, others);
    }

    /**
     * The latest moment at which time alone neither turns nor parks it: before its deadline, and before the end of all that its steps wait for.
     *
     * @param now counted from its creation
     * @return now, or an earlier moment
     */
    public Duration inTime(Duration now) {
        Stream<Duration> waits = steps.stream()
                .filter(StepState::awaiting)
                .map(StepState::notBefore)
                .flatMap(Stream::ofNullable);
        return Stream.concat(Stream.ofNullable(deadline), waits)
                .map(end -> end.minusNanos(1))
                .filter(end -> end.compareTo(now) < 0)
                .min(Comparator.naturalOrder())
                .orElse(now);
    }

    /**
     * The reason to show: why it is parked, else why it turned.
     *
     * @return the reason, or null
     */
    public @Nullable SagaReason reason() {
        return parked != null ? parked : turned;
    }

    /**
     * Whether an attempt is under way, or its intent is recorded.
     *
     * @return true when something is expected to end
     */
    public boolean underWay() {
        return steps.stream().anyMatch(StepState::underWay);
    }

    /**
     * The deadline, if it is still to come.
     *
     * @param now the time since the creation of the saga
     * @return the deadline, or null
     */
    public @Nullable Duration deadlineAfter(Duration now) {
        return deadline != null && deadline.compareTo(now) > 0 ? deadline : null;
    }
}
