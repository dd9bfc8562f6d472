package io.backstep.saga.simulation;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What a saga's history may say, line by line, and what follows from it. It knows the definition, and nothing of the engine. */
final class Model {
    static final int MOST_TAKEOVERS = 5;

    private final Shape shape;
    private final int input;
    private final Reasons reasons;
    final Confirms confirms;
    final List<Facts> steps = new ArrayList<>();
    SagaStatus status = SagaStatus.RUNNING;
    boolean turned;
    /** Whether the database has refused what it would have written. */
    boolean refused;

    /** While it is parked because of that: what it was about is put down, not spent. */
    private boolean puttingDown;

    /** Whether the write that is looked at has parked it: what was awaited for that is recorded behind it. */
    private boolean parkedNow;

    private int completions;

    /**
     * @param shape its definition
     * @param input its input, on which conditions depend
     */
    Model(Shape shape, int input) {
        this.shape = shape;
        this.input = input;
        this.reasons = new Reasons(shape, this);
        this.confirms = new Confirms(shape, this);
        shape.steps().forEach(step -> steps.add(new Facts()));
    }

    /** The lines of one write. */
    void write(List<HistoryRow> lines, SagaStatus now) {
        boolean resumed = false;
        parkedNow = false;
        puttingDown = lines.stream().anyMatch(line -> line.entry().reason() == SagaReason.UNREADABLE);
        for (HistoryRow line : lines) {
            HistoryEntry entry = line.entry();
            resumed |= entry.outcome() == Outcome.RESUMED;
            if (entry.phase() == Phase.SAGA) {
                saga(entry, now);
            } else if (entry.phase() == Phase.CONDITION) {
                condition(shape.step(entry.step()), entry);
            } else if (entry.phase() == Phase.PROBE) {
                probe(shape.step(entry.step()), entry);
            } else if (entry.phase() == Phase.ACTION) {
                action(shape.step(entry.step()), entry);
            } else if (entry.phase() == Phase.CONFIRM) {
                confirms.ended(shape.step(entry.step()), entry, parkedNow);
            } else {
                compensation(shape.step(entry.step()), entry);
            }
        }
        if (resumed) {
            steps.forEach(step -> step.again(turned));
            shape.steps().forEach(this::askAgain);
        }
        require(status == now, "I3", () -> "the row is " + now + ", its history says " + status);
    }

    /** The same saga in another version: what has begun in it goes on, and the rest is asked and called as if it were new. */
    Model moved(Shape to, Predicate<StepShape> hasBegun) {
        Model after = new Model(to, input);
        after.status = status;
        after.turned = turned;
        after.refused = refused;
        after.completions = completions;
        for (StepShape step : to.steps()) {
            StepShape was = shape.same(step);
            if (was != null && (hasBegun.test(was) || facts(was).hasBegun())) {
                after.steps.set(step.index(), facts(was));
                facts(was).doneBefore = facts(was).done;
            }
        }
        after.confirms.goOn(confirms);
        return after;
    }

    private void askAgain(StepShape step) {
        Facts facts = facts(step);
        facts.unanswered = 0;
        facts.toBeAsked |= !turned && step.doubts().probed() && facts.doubt && !facts.done;
    }

    private void saga(HistoryEntry entry, SagaStatus now) {
        SagaReason reason = entry.reason();
        switch (entry.outcome()) {
            case TURNED -> {
                require(
                        (status == SagaStatus.RUNNING && !decided())
                                || (status == SagaStatus.COMPLETED && reason == SagaReason.PARENT),
                        "I3",
                        () -> "it turns although it is decided, or not running");
                require(
                        reason != null && reasons.turns(reason),
                        "I3",
                        () -> "it turns for " + reason + ", which has not happened");
                require(pivotIsClear(), "PIVOT", () -> "it turns although its pivot may have taken effect");
                turned = true;
                steps.forEach(step -> step.turnedMeanwhile = true);
                status = SagaStatus.COMPENSATING;
            }
            case PARKED -> {
                require(status.active(), "I3", () -> "it is parked while " + status);
                require(
                        reason != null && reasons.parks(reason),
                        "E3",
                        () -> "it is parked for " + reason + ", which has not happened");
                status = SagaStatus.FAILED;
                parkedNow = true;
            }
            case RESUMED -> {
                require(status == SagaStatus.FAILED, "I3", () -> "it is resumed while " + status);
                status = turned ? SagaStatus.COMPENSATING : SagaStatus.RUNNING;
                steps.forEach(step -> step.endedAfterTurn = false);
            }
            case ENDED -> end(now);
            default -> require(false, "I3", () -> "a line of the saga says " + entry.outcome());
        }
    }

    private void end(SagaStatus now) {
        require(!status.ended() && now.ended(), "I2", () -> "it ends as " + now + " after " + status);
        if (now == SagaStatus.COMPLETED) {
            require(
                    !turned && shape.steps().stream().allMatch(this::isDone) && !confirms.anyOwed(),
                    "I9",
                    () -> "COMPLETED with steps that are not done");
        }
        if (now == SagaStatus.COMPENSATED) {
            boolean all = order().stream().allMatch(step -> facts(step).undone);
            require(turned && all, "G7", () -> "COMPENSATED, and not all of " + order() + " are");
        }
        if (now == SagaStatus.FORCE_COMPLETED) {
            steps.forEach(step -> step.doubt |= step.childRuns); // nobody waits for the children any more
        }
        status = now;
    }

    private void condition(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(step.asks() && !facts.allowed, "SKIP", () -> step.name() + " is asked, and need not be");
        attempted(step, entry);
        facts.givenUp = step.is(StepKind.BEST_EFFORT) && spent(facts, step.attempts());
        if (entry.outcome() == Outcome.SUCCEEDED || entry.outcome() == Outcome.SKIPPED) {
            facts.allowed = entry.outcome() == Outcome.SUCCEEDED;
            facts.skipped = !facts.allowed;
            facts.fresh();
            require(
                    facts.allowed == step.holds(input),
                    "SKIP",
                    () -> "the condition of " + step.name() + " has not said " + entry.outcome());
        }
    }

    private void probe(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(
                step.doubts().probed() && facts.doubt && !recorded(step),
                "PROBE",
                () -> step.name() + " is probed, and there is nothing to ask");
        if (facts.turnedMeanwhile && entry.attempt() == 1) {
            facts.unanswered = 0;
        }
        facts.turnedMeanwhile = false;
        require(
                entry.attempt() == facts.unanswered + 1,
                "I18",
                () -> step.name() + " has probe " + entry.attempt() + " after " + facts.unanswered);
        require(
                !turned || steps.stream().noneMatch(other -> other.undoing),
                "AWAIT",
                () -> step.name() + " is probed after the first compensation");
        facts.probed(entry.outcome());
        if (entry.outcome() == Outcome.SUCCEEDED) {
            facts.place = ++completions;
        }
        if (facts.takeovers >= MOST_TAKEOVERS) {
            facts.toBeAsked = false;
        }
    }

    boolean mayBeAskedNow(StepShape step) {
        return step.doubts().probed()
                && facts(step).doubt
                && !recorded(step)
                && status.active()
                && steps.stream().noneMatch(other -> other.undoing);
    }

    /** Of an action, or its condition. */
    private void attempted(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(
                status.active() || parkedNow || entry.outcome() == Outcome.ABANDONED,
                "I3",
                () -> "an action ends while " + status);
        require(!recorded(step), "G3", () -> step.name() + " is recorded once more: " + entry.outcome());
        require(
                entry.attempt() == facts.attempt(),
                "I18",
                () -> step.name() + " has attempt " + entry.attempt() + ", not " + facts.attempt());
        require(others(step), "ORDER", () -> step.name() + " ends before those that it waits for");
        require(
                !turned || !facts.endedAfterTurn,
                "I11",
                () -> "another attempt of " + step.name() + " began after the turn");
        facts.endedAfterTurn = turned;
        require(
                !turned || steps.stream().noneMatch(other -> other.undoing),
                "AWAIT",
                () -> step.name() + " ends after the first compensation");
        facts.count(entry.outcome());
        require(
                step.attempts() == 0 || facts.failures <= step.attempts(),
                "I18",
                () -> step.name() + " has more attempts than its policy");
    }

    /** The end of a wait: it is no attempt, and leaves no doubt. */
    private void waited(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(status == SagaStatus.RUNNING, "WAIT", () -> step.name() + " ends its wait while " + status);
        require(!recorded(step), "G3", () -> step.name() + " is recorded once more: " + entry.outcome());
        require(others(step), "ORDER", () -> step.name() + " ends its wait before those that it waits for");
        boolean may = switch (entry.outcome()) {
            case SUCCEEDED -> true;
            case REJECTED, TIMED_OUT -> step.waitsFor(Waiting.What.SIGNAL);
            default -> false;
        };
        require(may, "WAIT", () -> step.name() + " only waits, and says " + entry.outcome());
        facts.silent = entry.outcome() == Outcome.TIMED_OUT;
    }

    private void action(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(facts.allowed || !step.asks(), "SKIP", () -> step.name() + " is called before its condition says yes");
        if (step.waits() != null) {
            waited(step, entry);
        } else {
            attempted(step, entry);
        }
        if (step.child() != null && facts.isStart(step, entry.outcome(), turned)) {
            return;
        }
        facts.doubt |= step.waits() == null
                && step.child() == null
                && entry.outcome() != Outcome.SUCCEEDED
                && entry.outcome() != Outcome.REJECTED
                && (!step.local() || entry.outcome() == Outcome.ESCAPED);
        if (entry.outcome() == Outcome.SUCCEEDED) {
            facts.done = true;
            facts.place = ++completions;
        }
        facts.rejected |= entry.outcome() == Outcome.REJECTED;
        facts.doubt &= entry.outcome() != Outcome.REJECTED || !step.doubts().definite();
        facts.unanswered = 0;
        facts.toBeAsked = step.doubts().probed() && facts.doubt && facts.takeovers < MOST_TAKEOVERS;
        facts.givenUp = step.is(StepKind.BEST_EFFORT)
                && (facts.rejected || spent(facts, step.attempts()) || calledTheOnlyTime(step));
    }

    private void compensation(StepShape step, HistoryEntry entry) {
        Facts facts = facts(step);
        require(turned, "G7", () -> step.name() + " is compensated although the saga has not turned");
        if (entry.outcome() == Outcome.SKIPPED) {
            require(!step.undoable(), "G8", () -> "the compensation of " + step.name() + " is skipped");
            return;
        }
        require(mayBeUndoneNow(step), "I10", () -> step.name() + " is compensated out of order " + order());
        require(
                order().stream()
                        .filter(other -> shape.comesAfter(other, step))
                        .allMatch(other -> isSettled(other) || (facts(other).doneBefore && facts.doneBefore)),
                "GRAPH",
                () -> step.name() + " is compensated before a step that waited for it");
        if (!facts.undoing) {
            facts.fresh();
            facts.undoing = true;
        }
        require(
                entry.attempt() == facts.attempt(),
                "I18",
                () -> "compensation of " + step.name() + " has attempt " + entry.attempt() + ", not "
                        + facts.attempt());
        facts.count(entry.outcome());
        facts.undone = entry.outcome() == Outcome.SUCCEEDED;
        facts.undoFailed = !facts.undone && (entry.outcome() == Outcome.REJECTED || spent(facts, step.undoAttempts()));
        require(
                facts.failures <= step.undoAttempts(),
                "I18",
                () -> "compensation of " + step.name() + " has more attempts than its policy");
    }

    boolean calledTheOnlyTime(StepShape step) {
        return step.doubts().once() && facts(step).doubt;
    }

    private boolean spent(Facts facts, int attempts) {
        return (attempts > 0 && facts.failures >= attempts && !puttingDown) || facts.takeovers >= MOST_TAKEOVERS;
    }

    /** What is compensated, in this order: the latest first, and what nobody knows before all that. */
    List<StepShape> order() {
        return shape.steps().stream()
                .filter(step -> step.undoable() && (facts(step).done || facts(step).doubt))
                .sorted(Comparator.comparingInt(
                                (StepShape step) -> facts(step).done ? facts(step).place : Integer.MAX_VALUE)
                        .thenComparingInt(StepShape::index)
                        .reversed())
                .toList();
    }

    boolean mayBeUndoneNow(StepShape step) {
        List<StepShape> order = order();
        int place = order.indexOf(step);
        return place >= 0
                && !facts(step).undone
                && order.subList(0, place).stream().allMatch(this::isSettled);
    }

    private boolean isSettled(StepShape step) {
        return facts(step).undone || facts(step).undoFailed;
    }

    boolean mayBeCalledNow(StepShape step) {
        return status == SagaStatus.RUNNING && !recorded(step) && others(step);
    }

    Facts facts(StepShape step) {
        return steps.get(step.index());
    }

    private boolean isDone(StepShape step) {
        return recorded(step) || facts(step).givenUp;
    }

    private boolean recorded(StepShape step) {
        return facts(step).done || facts(step).skipped;
    }

    /** Whether those that it waits for are done. */
    private boolean others(StepShape step) {
        return !confirms.holdsUp(step)
                && shape.steps().stream()
                        .filter(other -> step.waitsDirectlyFor(other.index()))
                        .allMatch(this::isDone);
    }

    boolean decided() {
        int pivot = shape.pivot();
        return pivot >= 0
                ? recorded(shape.steps().get(pivot))
                : shape.steps().stream()
                        .filter(step -> !step.is(StepKind.BEST_EFFORT))
                        .allMatch(this::recorded);
    }

    boolean pivotIsClear() {
        int pivot = shape.pivot();
        return pivot < 0 || (!steps.get(pivot).doubt && !steps.get(pivot).childRuns);
    }

    static void require(boolean kept, String invariant, Supplier<String> otherwise) {
        if (!kept) {
            throw new Violation(invariant, otherwise.get());
        }
    }
}
