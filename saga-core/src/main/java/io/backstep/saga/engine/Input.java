package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way to the machine.
 *
 * @param event the event
 * @param end the attempt that it is about, or null
 * @param mail the message that it merges, or null
 * @param kept whether an earlier write has kept that message, which came too early
 */
record Input(
        SagaEvent event, @Nullable AttemptEnd end, @Nullable Mail mail, boolean kept) {
    Input(SagaEvent event) {
        this(event, null, null, false);
    }

    Input(SagaEvent event, AttemptEnd end) {
        this(event, end, null, false);
    }

    static Input withdrawn(Call call, Duration now) {
        return new Input(new SagaEvent.Withdrawn(now, call.step(), call.phase()));
    }

    /** What a message wants of the machine; nothing when it is for a step that waits for no such thing. */
    static Input of(Mail mail, SagaDefinition<?> definition, Duration now) {
        SagaReason reason = turns(mail);
        Mail.Answer answer = mail.answer();
        boolean child = mail.kind() == Mail.Kind.CHILD;
        int step = answer == null
                ? -1
                : child ? definition.indexOf(answer.step()) : definition.indexOfSignal(answer.step());
        SagaEvent event;
        if (reason != null) {
            event = new SagaEvent.TurnRequested(now, reason);
        } else if (answer != null && step >= 0 && child) {
            event = new SagaEvent.ChildEnded(now, step, answer.code() != null, mail.messageId());
        } else if (answer != null && step >= 0) {
            event = new SagaEvent.Answered(now, step, answer.code() != null, mail.messageId());
        } else {
            event = new SagaEvent.TimePassed(now);
        }
        return new Input(event, null, mail, false);
    }

    Input asKept() {
        return new Input(event, end, mail, true);
    }

    /** The ends of attempts among them. */
    static List<AttemptEnd> ends(List<Input> inputs) {
        return inputs.stream().map(Input::end).filter(Objects::nonNull).toList();
    }

    /** What parks a saga whose row cannot be written with what these attempts brought. */
    static List<Input> unreadable(List<AttemptEnd> ends, Duration now) {
        List<Integer> steps = ends.isEmpty()
                ? List.of(-1)
                : ends.stream().map(end -> end.call().step()).toList();
        return steps.stream()
                .map(step -> new Input(new SagaEvent.Stuck(now, step, SagaReason.UNREADABLE)))
                .toList();
    }

    static @Nullable SagaReason turns(Mail mail) {
        return switch (mail.kind()) {
            case CANCEL -> SagaReason.CANCELLED;
            case COMPENSATE -> SagaReason.OPERATOR;
            case SIGNAL, CHILD -> null;
            case UNDO -> SagaReason.PARENT;
        };
    }
}
