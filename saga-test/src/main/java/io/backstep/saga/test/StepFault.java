package io.backstep.saga.test;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Probe;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What goes wrong with one call of user code on one node. */
@FunctionalInterface
interface StepFault {
    /** Nothing goes wrong. */
    StepFault NONE = (call, code, node, time) -> code.call();

    /** The call never reaches the participant, and nobody knows. */
    StepFault FAILS = (call, code, node, time) -> {
        throw new IOException("injected: the call of " + call.name() + " failed");
    };

    /** The call takes effect, and the answer is lost. */
    StepFault LOSES_REPLY = (call, code, node, time) -> {
        code.call();
        throw new IOException("injected: the reply of " + call.name() + " was lost");
    };

    /** The call does not come back until its time is up, and has no effect. */
    StepFault HANGS = (call, code, node, time) -> {
        time.run(call.timeout());
        if (!node.alive()) {
            throw node.died();
        }
        throw new InterruptedException("injected: the call of " + call.name() + " hung");
    };

    /** Of a probe: the participant cannot say. */
    StepFault DOES_NOT_KNOW = (call, code, node, time) -> Probe.unknown();

    /** The node dies just before the call. */
    StepFault CRASHES_BEFORE = (call, code, node, time) -> {
        throw node.died();
    };

    /** The node dies just after the call has taken effect. */
    StepFault CRASHES_AFTER = (call, code, node, time) -> {
        code.call();
        throw node.died();
    };

    /**
     * Calls the user's code, or does not.
     *
     * @throws Exception what the engine is to see
     */
    @Nullable
    Object run(AroundCode.Call call, Callable<@Nullable Object> code, KitNode node, VirtualTime time) throws Exception;

    /** The participant says no. */
    static StepFault rejects(String code) {
        return (call, userCode, node, time) -> {
            throw new StepRejectedException(code, "injected: " + call.name() + " was rejected");
        };
    }
}
