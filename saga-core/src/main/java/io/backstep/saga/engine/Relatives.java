package io.backstep.saga.engine;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Parent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What one write of a saga tells its parent and its children. Pure. */
final class Relatives {
    /** Says of a child's end that it was undone. */
    static final String UNDONE = "CHILD_COMPENSATED";

    private final SagaDefinition<?> definition;
    private final @Nullable Parent parent;
    private final Payloads payloads;

    Relatives(SagaDefinition<?> definition, @Nullable Parent parent, Payloads payloads) {
        this.definition = definition;
        this.parent = parent;
        this.payloads = payloads;
    }

    /**
     * Tells what they are told.
     *
     * @param sagaId the saga
     * @param seq of the write: no two messages of a saga to the same one have the same
     * @param before the state before
     * @param after the state after
     * @param results all encoded results by then
     * @throws io.backstep.saga.SagaSerializationException when the result for the parent cannot be decoded or encoded
     */
    List<Mail> told(UUID sagaId, long seq, SagaState before, SagaState after, Map<String, String> results) {
        List<Mail> told = new ArrayList<>();
        boolean undone = after.status() == SagaStatus.COMPENSATED;
        boolean ended = undone || after.status() == SagaStatus.COMPLETED;
        if (parent != null && ended && after.status() != before.status()) {
            told.add(end(sagaId, seq, parent, undone, results));
        }
        boolean wished = isWish(before.turned(), after.turned()) || isWish(before.pending(), after.pending());
        for (int i = 0; i < after.steps().size(); i++) {
            StepState step = after.steps().get(i);
            if (definition.steps().get(i).child() == null || !step.awaiting()) {
                continue;
            }
            if (step.status() == StepStatus.COMPENSATING) {
                if (!step.equals(before.steps().get(i))) {
                    told.add(wish(sagaId, seq, i, step, Mail.Kind.UNDO, " takes it back"));
                }
            } else if (wished) {
                told.add(wish(sagaId, seq, i, step, Mail.Kind.CANCEL, " is to turn"));
            }
        }
        return told;
    }

    private static boolean isWish(@Nullable Object before, @Nullable Object after) {
        return before == null && after != null;
    }

    private Mail end(UUID sagaId, long seq, Parent told, boolean undone, Map<String, String> results) {
        String result = undone ? null : output(sagaId, told, results);
        return new Mail(
                told.sagaId(),
                "child:" + sagaId + ":" + seq,
                Mail.Kind.CHILD,
                "saga " + sagaId + " of " + definition.name() + (undone ? " was compensated" : " has completed"),
                new Mail.Answer(told.step(), result, undone ? UNDONE : null));
    }

    /** Encoded for the place where it will stand. */
    private @Nullable String output(UUID sagaId, Parent told, Map<String, String> results) {
        String output = told.output();
        String result = output == null ? null : results.get(output);
        return output == null || result == null
                ? null
                : payloads.move(
                        PayloadField.result(sagaId, output), PayloadField.result(told.sagaId(), told.step()), result);
    }

    private Mail wish(UUID sagaId, long seq, int i, StepState step, Mail.Kind kind, String what) {
        return new Mail(
                ChildIds.of(sagaId, parent, definition.steps().get(i).name(), step.children()),
                "parent:" + seq,
                kind,
                "saga " + sagaId + " of " + definition.name() + what);
    }
}
