package io.backstep.saga.engine;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
        return prepared(events, Map.of()).after();
    }

    /**
     * Tells what would become of it.
     *
     * @param events what is to happen to it, in order; at least one, and they change something
     * @param results the encoded results of its recorded actions, by step name: what compensations are handed
     * @return the change
     */
    public Change after(List<SagaEvent> events, Map<String, String> results) {
        Prepared prepared = prepared(events, results);
        return new Change(prepared.after(), prepared.write());
    }

    private Prepared prepared(List<SagaEvent> events, Map<String, String> results) {
        return recorder.prepare(
                new Fence(row.sagaId(), row.epoch(), row.seq()),
                state,
                events.stream().map(Input::new).toList(),
                false,
                results,
                events.get(events.size() - 1).now(),
                (after, calls) -> after.status().active() ? Hold.release(Duration.ZERO) : Hold.END);
    }

    Instance instance() {
        return instance;
    }
}
