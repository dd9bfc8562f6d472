package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;

/** Makes read views of sagas. */
final class Views {
    private final SagaStore store;
    private final Payloads payloads;
    private final StateCodec codec;
    private final Twins twins;

    Views(SagaStore store, Payloads payloads, StateCodec codec, Twins twins) {
        this.twins = twins;
        this.store = store;
        this.payloads = payloads;
        this.codec = codec;
    }

    SagaInstance of(Instance instance, SagaState state) {
        SagaDefinition<?> definition = instance.registered().definition();
        Map<String, String> results = instance.results();
        return new InstanceView(
                instance.sagaId(),
                definition.name(),
                definition.version(),
                instance.businessKey(),
                state.status(),
                state.reason(),
                () -> steps(definition, state),
                payloads,
                () -> results,
                () -> times(instance.sagaId()));
    }

    SagaInstance of(InstanceRow row) {
        twins.look(row.owner());
        List<StepView> steps = steps(row.steps());
        InstanceView.Times times = new InstanceView.Times(row.createdAt(), row.updatedAt());
        return new InstanceView(
                row.sagaId(),
                row.name(),
                row.version(),
                row.businessKey(),
                row.status(),
                row.reason(),
                () -> steps,
                payloads,
                () -> results(row.sagaId()),
                () -> times);
    }

    /** A child that was started with a write of its parent. */
    SagaInstance started(NewInstance child) {
        return new InstanceView(
                child.sagaId(),
                child.definition().name(),
                child.definition().version(),
                child.businessKey(),
                child.status(),
                null,
                () -> steps(child.steps()),
                payloads,
                Map::of,
                () -> times(child.sagaId()));
    }

    /** One that was parked as nobody can read it: with its steps, if those can be. */
    SagaInstance parked(InstanceRow row, SagaReason reason) {
        InstanceView.Times times = new InstanceView.Times(row.createdAt(), row.updatedAt());
        List<StepView> steps = steps(row.steps());
        return new InstanceView(
                row.sagaId(),
                row.name(),
                row.version(),
                row.businessKey(),
                SagaStatus.FAILED,
                reason,
                () -> steps,
                payloads,
                () -> results(row.sagaId()),
                () -> times);
    }

    private static List<StepView> steps(SagaDefinition<?> definition, SagaState state) {
        List<StepView> steps = new ArrayList<>();
        for (int i = 0; i < state.steps().size(); i++) {
            steps.add(step(definition.steps().get(i).name(), state.steps().get(i)));
        }
        return List.copyOf(steps);
    }

    private InstanceView.Times times(UUID sagaId) {
        InstanceRow row = store.find(sagaId).orElseThrow(() -> new NoSuchElementException("no saga " + sagaId));
        return new InstanceView.Times(row.createdAt(), row.updatedAt());
    }

    /** The encoded results of the recorded actions, by step. */
    Map<String, String> results(UUID sagaId) {
        Map<String, String> results = new HashMap<>();
        for (HistoryRow line : store.history(sagaId)) {
            String result = line.entry().result();
            if (result != null && line.entry().completes()) {
                results.put(line.entry().step(), result);
            }
        }
        return results;
    }

    /** The list must open also when a row cannot be read. */
    private List<StepView> steps(String stored) {
        try {
            return codec.steps(stored).entrySet().stream()
                    .map(entry -> step(entry.getKey(), entry.getValue()))
                    .toList();
        } catch (SagaSerializationException e) {
            return List.of();
        }
    }

    private static StepView step(String name, StepState state) {
        return new StepView(name, state.status(), begun(state));
    }

    /** The attempts of the present phase that have begun: the machine counts the next one, where one may come. Questions do not count. */
    private static int begun(StepState state) {
        if (state.question() != null) {
            return Math.max(1, state.failures() + state.interruptions() + state.takeovers());
        }
        return switch (state.status()) {
            case PENDING, SKIPPED -> state.attempt() - 1;
            case UNKNOWN, GIVEN_UP, COMPENSATION_FAILED -> Math.max(1, state.attempt() - 1);
            case WAITING -> state.awaiting() ? state.attempt() : state.attempt() - 1;
            case EXECUTING, SUCCEEDED, REJECTED, COMPENSATING, COMPENSATED, CONFIRMING, CONFIRMED ->
                state.notBefore() == null ? state.attempt() : state.attempt() - 1;
        };
    }
}
