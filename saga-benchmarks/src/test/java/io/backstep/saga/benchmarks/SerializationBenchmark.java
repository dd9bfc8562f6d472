package io.backstep.saga.benchmarks;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.Kept;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.SagaState;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What is done to inputs and step states on their way to the store and back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class SerializationBenchmark {
    /** About how many bytes the input has. */
    @Param({"200", "1024", "65536"})
    public int bytes;

    private final Json json = new Json();
    private final StateCodec codec = new StateCodec(json);
    private final SagaDefinition<Order> definition = Order.definition(order -> {});
    private final SagaState state = new SagaMachine(definition).start(null).state();
    private final String steps = codec.write(definition, state);
    private Order order;
    private String text;

    /** Makes the input. */
    @Setup
    public void prepare() {
        order = new Orders(bytes).get();
        text = json.write("an order", order);
    }

    /** An input as it is kept at a start: written, read back, compared. */
    @Benchmark
    public Kept keep() {
        return json.keep("an order", order, Order.class);
    }

    /** What tells one input from another. */
    @Benchmark
    public String hash() {
        return json.hash(text);
    }

    /** The step states, once for each write. */
    @Benchmark
    public String writeSteps() {
        return codec.write(definition, state);
    }

    /** The step states, once for each claim. */
    @Benchmark
    public SagaState readSteps() {
        return codec.read(definition, SagaStatus.RUNNING, null, null, steps);
    }
}
