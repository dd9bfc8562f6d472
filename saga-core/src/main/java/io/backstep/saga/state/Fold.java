package io.backstep.saga.state;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What several events come to that one write records. Nothing is called before it: what one event begins, a later one can still stop. */
final class Fold {
    private final Plan plan;
    private final SagaState before;
    private final Duration from;
    private final List<Call> calls = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private final List<SagaEvent.Answered> answers = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private SagaState state;
    private List<Integer> suspects = List.of();

    Fold(Plan plan, SagaState before, Duration from) {
        this.plan = plan;
        this.before = before;
        this.from = from;
        this.state = before;
    }

    Transition of(List<SagaEvent> events, boolean nothingBegins) {
        for (SagaEvent event : events) {
            if (event instanceof SagaEvent.Answered answer) {
                answers.add(answer);
            }
        }
        state = patient(state);
        for (SagaEvent event : startsLast(events)) {
            if (event instanceof SagaEvent.TurnRequested || isLate(event)) {
                calls.stream().filter(this::isNewPivot).toList().forEach(pivot -> withdraw(pivot, event.now()));
            }
            if (!(event instanceof SagaEvent.Answered)) {
                apply(event);
            }
            answer(event.now());
        }
        boolean takenBack = events.stream().anyMatch(event -> event instanceof SagaEvent.Withdrawn);
        settle(nothingBegins, takenBack, events.get(events.size() - 1).now());
        answers.removeIf(answer -> !mayComeToWait(answer.step()));
        return new Transition(state, calls, facts, nothingBegins ? List.of() : suspects, taken, answers);
    }

    /** What would turn the saga comes before what would start a child. */
    private static List<SagaEvent> startsLast(List<SagaEvent> events) {
        return Stream.concat(
                        events.stream().filter(event -> !(event instanceof SagaEvent.Started)),
                        events.stream().filter(event -> event instanceof SagaEvent.Started))
                .toList();
    }

    private void apply(SagaEvent event) {
        Draft draft = new Draft(plan, state, event.now());
        new Reaction(draft, from).to(event);
        Transition next = draft.transition();
        if (event instanceof SagaEvent.ChildEnded end && !next.facts().isEmpty()) {
            taken.add(end.message());
        }
        state = next.state();
        calls.addAll(next.calls());
        facts.addAll(next.facts());
        suspects = next.suspects();
    }

    /** The time of a wait is not up when its answer is there, however late that is told. */
    private SagaState patient(SagaState given) {
        List<StepState> steps = new ArrayList<>(given.steps());
        for (SagaEvent.Answered answer : answers) {
            if (steps.get(answer.step()).awaiting()) {
                steps.set(answer.step(), steps.get(answer.step()).patient());
            }
        }
        return given.with(steps);
    }

    /** The first answer of each step that waits is taken; which may let others begin to wait. */
    private void answer(Duration now) {
        SagaEvent.Answered next = awaited();
        while (next != null) {
            answers.remove(next);
            taken.add(next.message());
            apply(new SagaEvent.Answered(now, next.step(), next.rejected(), next.message()));
            next = awaited();
        }
    }

    private SagaEvent.@Nullable Answered awaited() {
        return answers.stream()
                .filter(answer -> awaits(answer.step()))
                .findFirst()
                .orElse(null);
    }

    private boolean awaits(int step) {
        StepState waiting = state.steps().get(step);
        boolean settling = state.status() == SagaStatus.COMPENSATING && waiting.status() == StepStatus.COMPENSATING;
        return waiting.awaiting() && (state.status() == SagaStatus.RUNNING || settling);
    }

    private boolean mayComeToWait(int step) {
        if (plan.settles(step)) {
            return !state.status().ended()
                    && mayBeUndone(state.steps().get(step).status());
        }
        return plan.waits(step)
                && switch (state.steps().get(step).status()) {
                    case PENDING, EXECUTING, WAITING ->
                        state.turned() == null && !state.status().ended();
                    default -> false;
                };
    }

    private static boolean mayBeUndone(StepStatus status) {
        return switch (status) {
            case COMPENSATED, SKIPPED, REJECTED, CONFIRMING, CONFIRMED -> false;
            default -> true;
        };
    }

    /** Events may have waited for their write: what an earlier one would begin comes after the deadline then. */
    private boolean isLate(SagaEvent event) {
        return state.deadline() != null && event.now().compareTo(state.deadline()) >= 0;
    }

    /** A wish, or the deadline, waits only for a pivot that was intended before, or may have taken effect. */
    private boolean isNewPivot(Call call) {
        if (call.step() != plan.pivot() || state.steps().get(call.step()).inDoubt()) {
            return false;
        }
        StepState recorded = before.steps().get(call.step());
        boolean same = recorded.phase() == call.phase() && recorded.attempt() == call.attempt();
        return !(before.status().active() && recorded.underWay() && same);
    }

    /**
     * No action may begin once the saga has turned, and nothing at all when the node stops. One that has turned among attempts that were taken back,
     * before or after, goes on from here: taking back by itself leads nowhere.
     */
    private void settle(boolean nothingBegins, boolean takenBack, Duration now) {
        List<Call> unwanted =
                calls.stream().filter(call -> nothingBegins || !mayBegin(call)).toList();
        unwanted.forEach(call -> withdraw(call, now));
        boolean rests = takenBack && state.status() == SagaStatus.COMPENSATING;
        if ((!unwanted.isEmpty() || rests) && !nothingBegins) {
            apply(new SagaEvent.TimePassed(now));
        }
    }

    private boolean mayBegin(Call call) {
        return switch (call.phase()) {
            case COMPENSATION -> true;
            case PROBE -> state.status().active();
            default -> state.status() == SagaStatus.RUNNING;
        };
    }

    private void withdraw(Call call, Duration now) {
        calls.remove(call);
        apply(new SagaEvent.Withdrawn(now, call.step(), call.phase()));
    }
}
