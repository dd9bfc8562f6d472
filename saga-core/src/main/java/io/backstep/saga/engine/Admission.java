package io.backstep.saga.engine;

import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** How a saga's suspect step waits at the node's gate, and holds it while it runs. Used in the saga's queue only. */
final class Admission {
    private final SuspectGate gate;
    private @Nullable Integer admitted;
    private boolean asked;

    Admission(SuspectGate gate) {
        this.gate = gate;
    }

    /** Whether a suspect waits for the gate or has passed it: what is due waits for that. */
    boolean pending() {
        return asked || admitted != null;
    }

    /** The same, but none of these is its end. */
    boolean pendingBeside(List<Input> inputs) {
        boolean ends = inputs.stream()
                .anyMatch(input -> input.end() != null
                        && Objects.equals(admitted, input.end().call().step()));
        return asked || (admitted != null && !ends);
    }

    @Nullable
    Integer admitted() {
        return admitted;
    }

    /** Asks for a step, unless one is pending. */
    void ask(int step, IntConsumer whenOpen) {
        if (!pending()) {
            asked = true;
            gate.enter(() -> whenOpen.accept(step));
        }
    }

    /** The gate is open: takes it when the step is still wanted, else leaves it to the next. */
    boolean enter(int step, boolean wanted) {
        asked = false;
        if (wanted) {
            admitted = step;
        } else {
            gate.leave();
        }
        return wanted;
    }

    /** The step has ended, or is not called after all. */
    void leave(int step) {
        if (admitted != null && admitted == step) {
            leave();
        }
    }

    void leave() {
        if (admitted != null) {
            admitted = null;
            gate.leave();
        }
    }
}
