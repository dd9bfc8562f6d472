package io.backstep.saga.engine;

import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.time.Timer;
import java.time.Duration;

/** The one timer of a saga: for whatever the machine waits for next. Used in the saga's queue only. */
final class WakeUp {
    private final Timer timer;
    private final SagaMachine machine;
    private Timer.Scheduled next = () -> {};

    WakeUp(Timer timer, SagaMachine machine) {
        this.timer = timer;
        this.machine = machine;
    }

    /**
     * Sets it anew.
     *
     * @param state where the saga stands
     * @param now the saga's age
     * @param atTheGate whether what is due waits for the gate, which will tell
     * @param awake what to run then
     */
    void set(SagaState state, Duration now, boolean atTheGate, Runnable awake) {
        next.cancel();
        Duration at = machine.wakeAt(state);
        if (at != null && atTheGate && at.compareTo(now) <= 0) {
            at = state.deadlineAfter(now);
        }
        if (at != null) {
            next = timer.after(at.minus(now), awake);
        }
    }

    void cancel() {
        next.cancel();
    }
}
