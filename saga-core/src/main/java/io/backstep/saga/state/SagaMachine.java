package io.backstep.saga.state;

import io.backstep.saga.Resolution;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one definition: a state and an event in, the next state and what follows out. Pure, immutable, and safe
 * for any number of threads.
 */
public final class SagaMachine {
    private final Plan plan;

    /**
     * Makes the machine of a definition.
     *
     * @param definition the definition
     */
    public SagaMachine(SagaDefinition<?> definition) {
        this.plan = new Plan(definition);
    }

    /**
     * A new saga, with its first intents, at time zero.
     *
     * @param deadline when it turns by itself, counted from its creation, or null
     * @return the first state and what follows
     */
    public Transition start(@Nullable Duration deadline) {
        return start(deadline, Duration.ZERO);
    }

    /**
     * A new saga whose first steps begin some time after its creation.
     *
     * @param deadline when it turns by itself, counted from when it begins, or null
     * @param begin when it begins, counted from its creation
     * @return the first state and what follows
     */
    public Transition start(@Nullable Duration deadline, Duration begin) {
        List<StepState> steps = plan.indices().mapToObj(i -> first(i, begin)).toList();
        Duration end = deadline == null ? null : begin.plus(deadline);
        Draft draft = new Draft(plan, new SagaState(SagaStatus.RUNNING, null, null, null, end, steps), Duration.ZERO);
        new Reaction(draft, Duration.ZERO).advance(Duration.ZERO);
        return draft.transition();
    }

    private StepState first(int i, Duration begin) {
        StepState first = plan.hasCondition(i) ? StepState.CONDITIONAL : StepState.NEW;
        boolean later = !begin.isZero() && plan.waitsFor(i).isEmpty();
        return later ? first.waiting(StepStatus.PENDING, begin) : first;
    }

    /**
     * What follows from an event. An event that is void in this state, such as the wish to turn a saga that is decided, changes
     * nothing.
     *
     * @param state where the saga stands
     * @param event what happened
     * @return the next state and what follows
     * @throws IllegalStateException {@code SAGA-STATE-001} when the end of an attempt is told that is not under way
     */
    public Transition on(SagaState state, SagaEvent event) {
        Draft draft = new Draft(plan, state, event.now());
        new Reaction(draft, event.now()).to(event);
        return draft.transition();
    }

    /**
     * What follows from events that one write records. Nothing is called before it, so a saga that turns with it begins no action,
     * and a wish to turn, or the deadline, comes before a pivot that only this write would have begun.
     *
     * @param state where the saga stands
     * @param events what happened, in order; at least one
     * @param nothingBegins whether nothing new may be called: the node stops
     * @return the next state and what follows
     * @throws IllegalStateException {@code SAGA-STATE-001} when the end of an attempt is told that is not under way
     */
    public Transition on(SagaState state, List<SagaEvent> events, boolean nothingBegins) {
        return on(state, events, nothingBegins, events.get(events.size() - 1).now());
    }

    /**
     * What follows from events that one write records, see {@link #on(SagaState, List, boolean)}. An answer is taken by its step as
     * soon as that waits for it, whatever the order of the events, and wins over the time that is up; of several the first one does.
     *
     * @param state where the saga stands
     * @param events what happened, in order; at least one
     * @param nothingBegins whether nothing new may be called: the node stops
     * @param from the moment from which what begins to wait counts: never before the real one
     * @return the next state and what follows
     * @throws IllegalStateException {@code SAGA-STATE-001} when the end of an attempt is told that is not under way
     */
    public Transition on(SagaState state, List<SagaEvent> events, boolean nothingBegins, Duration from) {
        return new Fold(plan, state, from).of(events, nothingBegins);
    }

    /**
     * When {@link SagaEvent.TimePassed} must be sent. A suspect that is due stays due until it is admitted, so this may be in
     * the past.
     *
     * @param state where the saga stands
     * @return the time since the creation of the saga, or null when nothing waits for time
     */
    public @Nullable Duration wakeAt(SagaState state) {
        if (!state.status().active()) {
            return null;
        }
        Duration earliest = deadline(state);
        for (StepState step : state.steps()) {
            Duration at = step.notBefore();
            if (at != null && (earliest == null || at.compareTo(earliest) < 0)) {
                earliest = at;
            }
        }
        return earliest;
    }

    /**
     * Whether all that the saga waits for is an answer: time makes a difference only when none comes.
     *
     * @param state where the saga stands
     * @return true when some step waits for an answer, and none for its time
     */
    public boolean awaitsAnswers(SagaState state) {
        boolean timed =
                plan.indices().anyMatch(i -> state.steps().get(i).notBefore() != null && !awaitsAnswer(state, i));
        return state.status().active() && !timed && plan.indices().anyMatch(i -> awaitsAnswer(state, i));
    }

    private boolean awaitsAnswer(SagaState state, int i) {
        return state.steps().get(i).awaiting() && !plan.delays(i);
    }

    /**
     * Whether the saga goes only forward, for ever.
     *
     * @param state where the saga stands
     * @return true when its pivot is recorded, or without one every step that is not best-effort
     */
    public boolean isDecided(SagaState state) {
        Draft draft = new Draft(plan, state, Duration.ZERO);
        return new Turning(draft, new Doubts(draft)).decided();
    }

    /**
     * When the saga turns by itself, while that can still make a difference.
     *
     * @param state where the saga stands
     * @return the time since the creation of the saga, or null once it is decided, has turned or will turn, is parked or has ended
     */
    public @Nullable Duration deadline(SagaState state) {
        Draft draft = new Draft(plan, state, Duration.ZERO);
        return new Turning(draft, new Doubts(draft)).deadline();
    }

    /**
     * What an operator may say of a step: what {@link SagaEvent.Resolved} takes once the saga is parked.
     *
     * @param state where the saga stands
     * @param step the index of the step
     * @return what, in a fixed order; empty when the saga has ended, or the step has not begun or is settled
     */
    public List<Resolution> resolutions(SagaState state, int step) {
        Reaction reaction = new Reaction(new Draft(plan, state, Duration.ZERO), Duration.ZERO);
        return Stream.of(Resolution.values())
                .filter(resolution -> reaction.allows(step, resolution))
                .toList();
    }

    /**
     * The steps that have a compensation and were, are, or would be compensated if nothing more took effect: unknown ones
     * first, then the latest that completed first, and no step before those that waited for it. Not among them is a step whose probe
     * is asked first.
     *
     * @param state where the saga stands
     * @return their indices, in the order of compensation
     */
    public List<Integer> compensationOrder(SagaState state) {
        return new Compensations(new Draft(plan, state, Duration.ZERO)).order();
    }
}
