package io.backstep.saga.engine;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transition that is ready to be written, and what follows when it is accepted.
 *
 * @param before the state before
 * @param after the state after
 * @param calls what to call then
 * @param suspects which steps to admit one at a time then
 * @param ends the attempts that it records
 * @param results the encoded results that it adds, by step
 * @param kept the messages that have come too early so far, when it is accepted
 * @param late the signals that no step has taken, or will: nobody has told their senders
 * @param mutation the write; null when there is nothing to write
 */
record Prepared(
        SagaState before,
        SagaState after,
        List<Call> calls,
        List<Integer> suspects,
        List<AttemptEnd> ends,
        Map<String, String> results,
        List<Mail> kept,
        List<Mail> late,
        @Nullable Mutation mutation) {
    /** Whether it turns the saga. */
    boolean turns() {
        return before.turned() == null && after.turned() != null;
    }

    /** Whether it parks the saga. */
    boolean parks() {
        return before.status().active() && after.status() == SagaStatus.FAILED;
    }

    /** The attempts that listeners are told of: not of a child that turned out not to be started. */
    List<AttemptEnd> told() {
        return ends.stream()
                .filter(end -> end.child() == null || write().children().contains(end.child()))
                .toList();
    }

    Mutation write() {
        if (mutation == null) {
            throw new IllegalStateException("nothing to write");
        }
        return mutation;
    }

    /** The same, where these are still kept. */
    Prepared keeping(List<Mail> early) {
        return new Prepared(before, after, calls, suspects, ends, results, early, late, mutation);
    }

    Prepared under(Fence fence) {
        return new Prepared(before, after, calls, suspects, ends, results, kept, late, write().under(fence));
    }

    /** The same, after the saga was taken back: a release that it contained is undone. */
    Prepared held() {
        return new Prepared(before, after, calls, suspects, ends, results, kept, late, write().with(Hold.KEEP));
    }
}
