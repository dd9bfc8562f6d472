package io.backstep.saga.benchmarks;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The pure state machine: no store, no thread, no serialization. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class MachineBenchmark {
    private static final Duration NOW = Duration.ofMillis(1);

    private final SagaDefinition<Order> definition = Order.definition(order -> {});
    private final SagaMachine machine = new SagaMachine(definition);

    /** From the start to the end of a saga of four steps that succeed. */
    @Benchmark
    public SagaState completed() {
        Transition now = machine.start(null);
        while (!now.state().status().ended()) {
            Call call = now.calls().get(0);
            now = machine.on(now.state(), new SagaEvent.Succeeded(NOW, call.step(), call.phase()));
        }
        return now.state();
    }

    /** The third step is rejected, two are undone. */
    @Benchmark
    public SagaState compensated() {
        Transition now = machine.start(null);
        while (!now.state().status().ended()) {
            Call call = now.calls().get(0);
            SagaEvent event = call.step() == 2
                    ? new SagaEvent.Rejected(NOW, call.step(), call.phase())
                    : new SagaEvent.Succeeded(NOW, call.step(), call.phase());
            now = machine.on(now.state(), event);
        }
        return now.state();
    }
}
