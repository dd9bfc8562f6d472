package io.backstep.saga.engine;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.serialization.PayloadCodec;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** A store, virtual time, and nodes on them. */
abstract class EngineFixture {
    record Input(String text) {}

    record Answer(String text) {}

    static final SagaType<Input> TYPE = SagaType.named("test", Input.class);
    static final Step<Answer> FIRST = Step.named("first", Answer.class);
    static final Input INPUT = new Input("in");
    private static final Set<Thread.State> WAITING = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    final VirtualTime time = new VirtualTime();
    final InMemorySagaStore memory = new InMemorySagaStore(time::now);
    final FaultyStore store = new FaultyStore(memory);
    final List<String> calls = new ArrayList<>();
    private final Map<String, Integer> failures = new HashMap<>();

    static SagaStage<Input> define() {
        return Saga.define(TYPE);
    }

    TestNode node(SagaDefinition<?>... known) {
        return node(TestNode.tuning(), known);
    }

    TestNode node(Tuning tuning, SagaDefinition<?>... known) {
        return new TestNode(time, store, memory.transactions(), tuning, known).started();
    }

    TestNode listening(SagaListener listener, SagaDefinition<?>... known) {
        return new TestNode(time, store, memory.transactions(), TestNode.tuning(), List.of(listener), known).started();
    }

    TestNode encrypting(PayloadCodec codec, SagaDefinition<?>... known) {
        return new TestNode(
                        time,
                        store,
                        memory.transactions(),
                        TestNode.tuning(),
                        List.of(),
                        Runnable::run,
                        time.clock(),
                        builder -> builder.payloadCodec(codec),
                        known)
                .started();
    }

    UUID start(TestNode node) {
        return node.client().start(TYPE, INPUT).sagaId();
    }

    /** Does something at a time to come. */
    void later(Duration wait, Runnable task) {
        time.timer(() -> true).after(wait, task);
    }

    /** Runs until the saga has ended or is parked. */
    SagaInstance end(TestNode node, UUID id) {
        time.runUntil(() -> settled(id));
        return node.client().find(id).orElseThrow();
    }

    SagaInstance run(SagaDefinition<Input> definition) {
        TestNode node = node(definition);
        return end(node, start(node));
    }

    boolean settled(UUID id) {
        SagaStatus status = row(id).status();
        return status.ended() || status == SagaStatus.FAILED;
    }

    InstanceRow row(UUID id) {
        return memory.find(id).orElseThrow();
    }

    /** All sagas. */
    List<InstanceSummary> rows() {
        return memory.list(new ListQuery(null, null, null, null, null, null, null, 100));
    }

    /** The history as "step phase attempt outcome". */
    List<String> history(UUID id) {
        return memory.history(id).stream()
                .map(row -> row.entry().step() + " " + row.entry().phase() + " "
                        + row.entry().attempt() + " " + row.entry().outcome())
                .toList();
    }

    static Map<String, StepStatus> steps(SagaInstance saga) {
        Map<String, StepStatus> steps = new HashMap<>();
        saga.steps().forEach(step -> steps.put(step.name(), step.status()));
        return steps;
    }

    /** Notes the call, and fails the first times. */
    void call(String name, int failing) throws IOException {
        calls.add(name);
        if (failures.merge(name, 1, Integer::sum) <= failing) {
            throw new IOException(name + " is away");
        }
    }

    void always(String name) throws IOException {
        call(name, Integer.MAX_VALUE);
    }

    /** Blocks there, while time goes on here. */
    <T> T onAnotherThread(Callable<T> call) throws Exception {
        AtomicReference<T> answer = new AtomicReference<>();
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                answer.set(call.call());
            } catch (Exception e) {
                failure.set(e);
            }
        });
        thread.start();
        while (thread.isAlive()) {
            if (WAITING.contains(thread.getState())) {
                time.run(Duration.ofMillis(50));
            }
            Thread.onSpinWait();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return answer.get();
    }
}
