package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has happened to a saga and goes into its next write. Lets each message through once, though it is found again until a write has
 * merged it, and has those that came before their step waits for them. Used in the saga's queue only, but for {@link #withKept}.
 */
final class Backlog {
    private static final Logger log = LoggerFactory.getLogger(Backlog.class);

    private final SagaDefinition<?> definition;
    private final Payloads payloads;
    private final List<Input> inputs = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final long taken;
    private volatile List<Mail> kept = List.of();

    /**
     * Of a saga that has just been taken.
     *
     * @param definition its definition
     * @param payloads reads what messages bring
     * @param sweeps how many sweeps for mail had been begun by then: what they find may have been merged before
     */
    Backlog(SagaDefinition<?> definition, Payloads payloads, long sweeps) {
        this.definition = definition;
        this.payloads = payloads;
        this.taken = sweeps;
    }

    boolean isEmpty() {
        return inputs.isEmpty();
    }

    void add(SagaEvent event) {
        inputs.add(new Input(event));
    }

    void add(Input input) {
        inputs.add(input);
    }

    void addAll(List<Input> more) {
        inputs.addAll(more);
    }

    void withdraw(Call call, Duration now) {
        inputs.add(Input.withdrawn(call, now));
    }

    /** What came along with the saga. */
    void deliver(List<Mail> letters, boolean turned, Duration now) {
        letters.stream()
                .filter(letter -> known.add(letter.messageId()))
                .forEach(letter -> inputs.add(checked(letter, turned, now)));
    }

    /** What cannot be read is left as it is, and parks the saga: an operator's retry reads it again. On the way back nobody needs it. */
    private Input checked(Mail letter, boolean turned, Duration now) {
        Mail.Answer answer = letter.answer();
        int step = answer == null ? -1 : definition.indexOf(answer.step());
        Type type = step < 0 ? null : definition.steps().get(step).resultType();
        try {
            if (answer != null && answer.result() != null && type != null) {
                payloads.read(
                        PayloadField.result(letter.sagaId(), answer.step()),
                        "the signal for step " + answer.step(),
                        answer.result(),
                        type);
            }
            return Input.of(letter, definition, now);
        } catch (SagaSerializationException e) {
            if (turned) {
                return Input.of(letter, definition, now);
            }
            log.error(
                    "saga {} is parked: {} of message {}",
                    letter.sagaId(),
                    e.getMessage(), // its cause quotes the value
                    Shown.quoted(letter.messageId()));
            return new Input(new SagaEvent.Stuck(now, -1, SagaReason.UNREADABLE), null, letter, false);
        }
    }

    /** What a sweep has found; unless mail was taken after it began. */
    void deliver(List<Mail> letters, long sweep, boolean turned, Duration now) {
        if (sweep > taken) {
            deliver(letters, turned, now);
        }
    }

    List<Input> take() {
        List<Input> all = List.copyOf(inputs);
        inputs.clear();
        return all;
    }

    /** What a write has kept is told again with the next one: its step may begin to wait then. The worker that writes may ask, too. */
    List<Input> withKept(List<Input> others, Duration now) {
        Stream<Input> early =
                kept.stream().map(letter -> Input.of(letter, definition, now).asKept());
        return Stream.concat(early, others.stream()).toList();
    }

    /** A step may have begun to wait for what a write has not told it. */
    void tellAgain(List<Mail> early, Duration now) {
        if (!early.isEmpty()) {
            add(new SagaEvent.TimePassed(now));
        }
    }

    List<Mail> kept() {
        return kept;
    }

    /** All that has come too early so far; a write has recorded that. */
    void keep(List<Mail> early) {
        kept = List.copyOf(early);
    }

    /**
     * Takes back what is recorded and not called yet when a wish to turn waits to be merged: else one transactional step after the other
     * could keep it waiting, and a pivot could begin after it.
     *
     * @return whether it did
     */
    boolean wishFirst(List<Call> calls, Duration now) {
        if (calls.isEmpty() || inputs.stream().noneMatch(input -> input.event() instanceof SagaEvent.TurnRequested)) {
            return false;
        }
        inputs.addAll(0, calls.stream().map(call -> Input.withdrawn(call, now)).toList());
        inputs.add(new Input(new SagaEvent.TimePassed(now)));
        return true;
    }

    /** Only parks the saga: these attempts, and those that have ended since, cannot be recorded; no mail is merged. */
    void parkUnreadable(List<AttemptEnd> unwritten, Duration now) {
        List<AttemptEnd> ends = new ArrayList<>(unwritten);
        ends.addAll(Input.ends(inputs));
        inputs.clear();
        known.clear();
        inputs.addAll(Input.unreadable(ends, now));
    }
}
