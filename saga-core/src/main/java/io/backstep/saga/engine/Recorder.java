package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.Transition;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Parent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Folds events into one transition and makes the one write that records it. Pure. */
final class Recorder {
    private final Registered registered;
    private final StateCodec codec;
    private final Payloads payloads;
    private final Map<String, String> keys;
    private final String node;
    private final Relatives relatives;

    Recorder(
            Registered registered,
            @Nullable Parent parent,
            StateCodec codec,
            Payloads payloads,
            Map<String, String> keys,
            String node) {
        this.keys = keys;
        this.registered = registered;
        this.relatives = new Relatives(registered.definition(), parent, payloads);
        this.codec = codec;
        this.payloads = payloads;
        this.node = node;
    }

    /**
     * Prepares the write for some events.
     *
     * @param fence what the row must still be
     * @param before the state that is recorded
     * @param inputs what happened, in order
     * @param withdraw whether nothing new may be called: the node stops
     * @param results the results recorded so far
     * @param from the moment from which what begins to wait counts: never before the real one
     * @param hold chooses what happens to owner and due time: told the state after, and whether anything is to be called
     */
    Prepared prepare(
            Fence fence,
            SagaState before,
            List<Input> inputs,
            boolean withdraw,
            Map<String, String> results,
            Duration from,
            BiFunction<SagaState, Boolean, Hold> hold) {
        List<SagaEvent> events = new ArrayList<>(inputs.size());
        List<AttemptEnd> ends = new ArrayList<>(inputs.size());
        List<Input> letters = new ArrayList<>();
        for (Input input : inputs) {
            events.add(input.event());
            if (input.end() != null) {
                ends.add(input.end());
            }
            if (input.mail() != null) {
                letters.add(input);
            }
        }
        Transition fold = registered.machine().on(before, events, withdraw, from);
        boolean parked = fold.state().status() == SagaStatus.FAILED; // mail for it waits, but for what has parked it
        Set<String> taken = Set.copyOf(fold.taken());
        Set<String> early = ids(parked ? List.of() : fold.early());
        List<Mail> mail = letters(letters, id -> taken.contains(id) || (!parked && !early.contains(id)));
        List<Mail> kept = letters(letters, early::contains);
        List<Mail> late = mail.stream()
                .filter(letter -> isForAStep(letter) && !taken.contains(letter.messageId()))
                .toList();
        List<Mail> newlyKept =
                letters(letters.stream().filter(input -> !input.kept()).toList(), early::contains);
        Duration now = inputs.get(inputs.size() - 1).event().now();
        ends.addAll(
                new WaitEnds(registered.definition(), before, letters(letters, taken::contains), now).of(fold.facts()));
        Map<String, String> added = added(ends);
        Map<String, String> all = new HashMap<>(results);
        all.putAll(added);
        boolean calls = !fold.calls().isEmpty() || !fold.suspects().isEmpty();
        Hold chosen = hold.apply(fold.state(), calls);
        Mutation mutation = null;
        boolean nothing =
                fold.state().equals(before) && fold.facts().isEmpty() && mail.isEmpty() && newlyKept.isEmpty();
        if (!nothing || chosen.kind() == Hold.Kind.RELEASE) {
            mutation = new Mutation(
                    fence,
                    fold.state().status(),
                    fold.state().reason(),
                    codec.write(registered.definition(), fold.state(), keys),
                    chosen,
                    fold.facts().stream()
                            .map(fact -> history(fence.sagaId(), fact, ends, mail))
                            .toList(),
                    compensations(fence.sagaId(), before, fold.state(), now, all, ends),
                    mail.stream().map(Mail::messageId).toList(),
                    newlyKept.stream().map(Mail::messageId).toList(),
                    children(fold.facts(), ends),
                    relatives.told(fence.sagaId(), fence.seq() + 1, before, fold.state(), all));
        }
        return new Prepared(before, fold.state(), fold.calls(), fold.suspects(), ends, added, kept, late, mutation);
    }

    private static Set<String> ids(List<SagaEvent.Answered> answers) {
        return answers.stream().map(SagaEvent.Answered::message).collect(Collectors.toSet());
    }

    private static List<Mail> letters(List<Input> inputs, Predicate<String> which) {
        return inputs.stream()
                .map(Input::mail)
                .filter(Objects::nonNull)
                .filter(letter -> which.test(letter.messageId()))
                .toList();
    }

    private boolean isForAStep(Mail letter) {
        Mail.Answer answer = letter.answer();
        SagaDefinition<?> definition = registered.definition();
        return answer != null
                && (definition.indexOf(answer.step()) >= 0 || definition.indexOfSignal(answer.step()) >= 0);
    }

    private Map<String, String> added(List<AttemptEnd> ends) {
        Map<String, String> added = new HashMap<>();
        for (AttemptEnd end : ends) {
            if (end.result() != null
                    && (end.call().phase() == Phase.ACTION || end.call().phase() == Phase.PROBE)) {
                added.put(name(end.call().step()), end.result());
            }
        }
        return added;
    }

    private String name(int step) {
        return registered.definition().steps().get(step).name();
    }

    private HistoryEntry history(UUID sagaId, Fact fact, List<AttemptEnd> ends, List<Mail> mail) {
        AttemptEnd end = end(new Call(fact.step(), fact.phase(), fact.attempt()), ends);
        boolean succeeded = fact.outcome() == Outcome.SUCCEEDED;
        ErrorText error = end == null ? wish(fact, mail) : end.error();
        String step = fact.step() < 0 ? "" : name(fact.step());
        return new HistoryEntry(
                step,
                fact.phase(),
                fact.attempt(),
                fact.outcome(),
                fact.reason(),
                succeeded && end != null ? end.result() : null,
                error == null ? null : error.code(),
                error == null ? null : payloads.error(PayloadField.error(sagaId, step), error.text()),
                end == null ? Duration.ZERO : end.duration(),
                node);
    }

    private static @Nullable AttemptEnd end(Call call, List<AttemptEnd> ends) {
        for (AttemptEnd end : ends) {
            if (end.call().equals(call)) {
                return end;
            }
        }
        return null;
    }

    /** Why somebody wanted the saga to turn. */
    private static @Nullable ErrorText wish(Fact fact, List<Mail> mail) {
        if (fact.outcome() != Outcome.TURNED || fact.reason() == null) {
            return null;
        }
        String reason = fact.reason().name();
        return mail.stream()
                .filter(letter -> Input.turns(letter) == fact.reason())
                .findFirst()
                .map(letter -> ErrorText.of(reason, letter.reason()))
                .orElse(null);
    }

    private List<CompensationEntry> compensations(
            UUID sagaId,
            SagaState before,
            SagaState after,
            Duration now,
            Map<String, String> all,
            List<AttemptEnd> ends) {
        if (after.turned() == null) {
            return List.of();
        }
        List<Integer> order = registered.machine().compensationOrder(after);
        List<Integer> orderBefore =
                before.turned() == null ? List.of() : registered.machine().compensationOrder(before);
        List<CompensationEntry> changed = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            int step = order.get(i);
            boolean same = after.steps().get(step).equals(before.steps().get(step)) && orderBefore.indexOf(step) == i;
            if (!same) {
                changed.add(CompensationLines.entry(
                        name(step),
                        i + 1,
                        after.steps().get(step),
                        now,
                        all.get(name(step)),
                        response(step, ends),
                        error(sagaId, step, ends)));
            }
        }
        return changed;
    }

    /** What turned out not to be started is left out. */
    private static List<NewInstance> children(List<Fact> facts, List<AttemptEnd> ends) {
        return facts.stream()
                .filter(fact -> fact.outcome() == Outcome.STARTED)
                .map(fact -> end(new Call(fact.step(), fact.phase(), fact.attempt()), ends))
                .map(end -> end == null ? null : end.child())
                .filter(Objects::nonNull)
                .toList();
    }

    private static boolean isOfItsCompensation(AttemptEnd end, int step) {
        Phase phase = end.call().phase();
        return end.call().step() == step && (phase == Phase.COMPENSATION || phase == Phase.SETTLEMENT);
    }

    /** What the signal brought that has settled it. */
    private static @Nullable String response(int step, List<AttemptEnd> ends) {
        return ends.stream()
                .filter(end -> end.call().step() == step && end.call().phase() == Phase.SETTLEMENT)
                .map(AttemptEnd::result)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private @Nullable String error(UUID sagaId, int step, List<AttemptEnd> ends) {
        return ends.stream()
                .filter(end -> isOfItsCompensation(end, step))
                .map(end -> end.error() == null ? null : end.error().text())
                .filter(text -> text != null)
                .findFirst()
                .map(text -> payloads.error(PayloadField.error(sagaId, name(step)), text))
                .orElse(null);
    }
}
