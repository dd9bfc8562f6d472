package io.backstep.saga.engine;

import io.backstep.saga.Phase;
import io.backstep.saga.Resolution;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A saga as it stands in the store, for somebody who does not hold it: what it would become. Immutable; nothing is written. Made by
 * {@link Operators}, for {@code saga.admin}; not for applications.
 */
public final class StoredSaga {
    private final Instance instance;
    private final InstanceRow row;
    private final SagaState state;
    private final Recorder recorder;

    StoredSaga(Registered registered, InstanceRow row, SagaState state, Recorder recorder) {
        // Its input is never handed to anybody: no attempt is made of this instance.
        this.instance = new Instance(
                row.sagaId(), row.businessKey(), row.parent(), registered, row.input(), Map.of(), Map.of());
        this.row = row;
        this.state = state;
        this.recorder = recorder;
    }

    /**
     * What would become of it.
     *
     * @param after its state then
     * @param mutation the write that records it: nobody's and due at once afterwards, or at its end
     */
    public record Change(SagaState after, Mutation mutation) {}

    /**
     * Its definition.
     *
     * @return as this node knows it
     */
    public SagaDefinition<?> definition() {
        return instance.registered().definition();
    }

    /**
     * Where it stands.
     *
     * @return its state
     */
    public SagaState state() {
        return state;
    }

    /**
     * In which order its compensations would run, are running or have run.
     *
     * @return the names of the steps
     */
    public List<String> compensationOrder() {
        return instance.registered().machine().compensationOrder(state).stream()
                .map(i -> definition().steps().get(i).name())
                .toList();
    }

    /**
     * Tells that no attempt which is recorded as under way was ever called. True of a saga that is active and nobody's.
     *
     * @param now the saga's age
     * @return one event for each
     */
    public List<SagaEvent> withdrawals(Duration now) {
        List<SagaEvent> events = new ArrayList<>();
        for (int i = 0; i < state.steps().size(); i++) {
            StepState step = state.steps().get(i);
            if (step.underWay()) {
                events.add(new SagaEvent.Withdrawn(now, i, step.phase()));
            }
        }
        return events;
    }

    /**
     * Tells where it would stand.
     *
     * @param events what is to happen to it, in order; at least one
     * @return its state then
     */
    public SagaState stateAfter(List<SagaEvent> events) {
        return prepared(inputs(events), Map.of()).after();
    }

    /**
     * Tells what would become of it.
     *
     * @param events what is to happen to it, in order; at least one, and they change something
     * @param results the encoded results of its recorded actions, by step name: what compensations are handed
     * @return the change
     */
    public Change after(List<SagaEvent> events, Map<String, String> results) {
        Prepared prepared = prepared(inputs(events), results);
        return new Change(prepared.after(), prepared.write());
    }

    private static List<Input> inputs(List<SagaEvent> events) {
        return events.stream().map(Input::new).toList();
    }

    /**
     * Tells what would become of it when an operator says what came of a step.
     *
     * @param events what is to happen to it, in order; the last is that
     * @param results the encoded results of its recorded actions, by step name: what compensations are handed
     * @param result the encoded result of the step, or null
     * @param note who says so, and why; for the history
     * @return the change
     */
    public Change resolved(List<SagaEvent> events, Map<String, String> results, @Nullable String result, String note) {
        SagaEvent.Resolved told = (SagaEvent.Resolved) events.get(events.size() - 1);
        Prepared prepared = prepared(
                events.stream()
                        .map(event -> event == told
                                ? new Input(event, AttemptEnd.settledByHand(call(told), result, note))
                                : new Input(event))
                        .toList(),
                results);
        return new Change(prepared.after(), prepared.write());
    }

    private Call call(SagaEvent.Resolved told) {
        boolean confirmed = state.steps().get(told.step()).status() == StepStatus.CONFIRMING;
        return new Call(
                told.step(),
                switch (told.resolution()) {
                    case SUCCEEDED -> confirmed ? Phase.CONFIRM : Phase.ACTION;
                    case REJECTED -> Phase.ACTION;
                    case COMPENSATED -> Phase.COMPENSATION;
                },
                0);
    }

    /**
     * What an operator may say of a step.
     *
     * @param step its name
     * @return what, in a fixed order; empty when nothing, or when the definition has no such step
     */
    public List<Resolution> resolutions(String step) {
        int index = definition().indexOf(step);
        return index < 0 ? List.of() : instance.registered().machine().resolutions(state, index);
    }

    /**
     * Where a step stands.
     *
     * @param step the name of a step of the definition
     * @return its status
     */
    public StepStatus status(String step) {
        return state.steps().get(definition().indexOf(step)).status();
    }

    /**
     * Which step has a compensation that awaits a signal.
     *
     * @param signal what the signal is sent to
     * @return the name of the step, or empty
     */
    public Optional<String> settledBy(String signal) {
        return definition().steps().stream()
                .filter(step ->
                        step.settlement() != null && step.settlement().signal().equals(signal))
                .map(StepDefinition::name)
                .findFirst();
    }

    /**
     * The type of the result of a step.
     *
     * @param step the name of a step of the definition
     * @return the full type, or null when it has none
     */
    public @Nullable Type resultType(String step) {
        return definition().steps().get(definition().indexOf(step)).resultType();
    }

    private Prepared prepared(List<Input> inputs, Map<String, String> results) {
        return recorder.prepare(
                new Fence(row.sagaId(), row.epoch(), row.seq()),
                state,
                inputs,
                false,
                results,
                inputs.get(inputs.size() - 1).event().now(),
                (after, calls) -> after.status().active() ? Hold.release(Duration.ZERO) : Hold.END);
    }

    Instance instance() {
        return instance;
    }
}
