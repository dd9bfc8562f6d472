package io.backstep.saga.engine;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.state.Call;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the waits of one write ended, in the form of attempts. Pure. */
final class WaitEnds {
    private static final String UNANSWERED = "SAGA-STEP-003";

    private final SagaDefinition<?> definition;
    private final SagaState before;
    private final List<Mail> letters;
    private final Duration now;

    /**
     * Of one write.
     *
     * @param definition the definition
     * @param before the state that is recorded
     * @param letters the messages whose answers its steps have taken
     * @param now when
     */
    WaitEnds(SagaDefinition<?> definition, SagaState before, List<Mail> letters, Duration now) {
        this.definition = definition;
        this.before = before;
        this.letters = letters;
        this.now = now;
    }

    List<AttemptEnd> of(List<Fact> facts) {
        List<AttemptEnd> ends = new ArrayList<>();
        for (Fact fact : facts) {
            if (fact.step() < 0) {
                continue;
            }
            StepDefinition step = definition.steps().get(fact.step());
            Waiting waiting = step.waiting();
            if (fact.phase() == Phase.SETTLEMENT) {
                ends.add(end(
                        fact,
                        step.signal(),
                        Objects.requireNonNull(step.settlement()).time()));
            } else if (fact.phase() == Phase.ACTION && (waiting != null || isOfChild(fact))) {
                ends.add(end(fact, step.name(), waiting == null ? null : waiting.time()));
            }
        }
        return ends;
    }

    /** Not of the attempt that started it. */
    private boolean isOfChild(Fact fact) {
        return before.steps().get(fact.step()).awaiting()
                && letter(definition.steps().get(fact.step()).name()) != null;
    }

    /**
     * Of one wait.
     *
     * @param to what its letter was sent to
     * @param time how long it waits, or null
     */
    private AttemptEnd end(Fact fact, @Nullable String to, @Nullable Duration time) {
        Mail.Answer answer = null;
        ErrorText error = null;
        if (fact.outcome() == Outcome.TIMED_OUT && time != null) {
            error = ErrorText.of(UNANSWERED, "what it waits for did not come within " + time);
        } else {
            Mail letter = letter(to);
            answer = letter == null ? null : letter.answer();
            error = letter == null || answer == null || answer.code() == null
                    ? null
                    : ErrorText.of(answer.code(), letter.reason());
        }
        return new AttemptEnd(
                new Call(fact.step(), fact.phase(), fact.attempt()),
                fact.outcome(),
                answer == null ? null : answer.result(),
                error,
                false,
                false,
                waited(fact.step(), time));
    }

    private @Nullable Mail letter(@Nullable String to) {
        return letters.stream()
                .filter(letter ->
                        letter.answer() != null && letter.answer().step().equals(to))
                .findFirst()
                .orElse(null);
    }

    private Duration waited(int step, @Nullable Duration time) {
        StepState state = before.steps().get(step);
        if (time == null || !state.awaiting() || state.notBefore() == null) {
            return Duration.ZERO;
        }
        Duration waited = now.minus(state.notBefore().minus(time));
        return waited.isNegative() ? Duration.ZERO : waited;
    }
}
