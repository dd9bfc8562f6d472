package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.store.HistoryEntry;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a saga's history may say of confirms: after the decision, of what was tried with success, again and again; and who waits for them. */
final class Confirms {
    private static final Pattern BEGUN = Pattern.compile("\"([^\"]+)\":\\[\"(EXECUTING|WAITING)\"");

    private final Shape shape;
    private final Model model;

    /** What was under way when it was not decided yet. */
    private final Set<String> begun = new HashSet<>();

    private boolean decided;

    Confirms(Shape shape, Model model) {
        this.shape = shape;
        this.model = model;
    }

    /** In another version, where it has the same steps. */
    void goOn(Confirms before) {
        decided = before.decided;
        begun.addAll(before.begun);
    }

    /** After each write, what the row says of its steps. A best-effort step may begin with the write that decides: what came first is in it, too. */
    void look(String steps) {
        if (decided) {
            return;
        }
        decided = model.decided();
        if (!decided) {
            begun.clear();
        }
        Matcher found = BEGUN.matcher(steps);
        while (found.find()) {
            if (!decided || shape.step(found.group(1)).is(StepKind.BEST_EFFORT)) {
                begun.add(found.group(1));
            }
        }
    }

    /** A line of the history about one. */
    void ended(StepShape step, HistoryEntry entry, boolean parkedNow) {
        Facts facts = model.facts(step);
        require(
                model.status == SagaStatus.RUNNING || parkedNow || entry.outcome() == Outcome.ABANDONED,
                "I3",
                () -> "a confirm of " + step.name() + " ends while " + model.status);
        require(mayBe(step), "TCC", () -> step.name() + " is confirmed, and need not be, or must not");
        if (!facts.confirming) {
            facts.fresh();
            facts.confirming = true;
        }
        require(
                entry.attempt() == facts.attempt(),
                "I18",
                () -> "confirm of " + step.name() + " has attempt " + entry.attempt() + ", not " + facts.attempt());
        facts.count(entry.outcome());
        facts.confirmed = entry.outcome() == Outcome.SUCCEEDED;
        facts.confirmRefused = entry.outcome() == Outcome.REJECTED;
        require(
                !limited(step) || facts.failures <= confirm(step).attempts(),
                "I18",
                () -> "confirm of " + step.name() + " has more attempts than its policy");
    }

    boolean mayBeConfirmedNow(StepShape step) {
        return model.status == SagaStatus.RUNNING && mayBe(step);
    }

    private boolean mayBe(StepShape step) {
        return owed(step) && model.decided() && !model.turned;
    }

    /** Whether it was tried with success, and not confirmed yet. */
    private boolean owed(StepShape step) {
        return step.tcc() && model.facts(step).done && !model.facts(step).confirmed;
    }

    boolean anyOwed() {
        return shape.steps().stream().anyMatch(this::owed);
    }

    /** Once it is decided, who waits for a try waits for its confirm; but not what had begun before. */
    boolean holdsUp(StepShape step) {
        return model.decided()
                && !begun.contains(step.name())
                && shape.steps().stream().anyMatch(other -> step.waitsDirectlyFor(other.index()) && owed(other));
    }

    /** Whether one has no attempts left. */
    boolean spent() {
        return any(step ->
                limited(step) && model.facts(step).failures >= confirm(step).attempts());
    }

    boolean refused() {
        return any(step -> model.facts(step).confirmRefused);
    }

    private boolean any(Predicate<StepShape> what) {
        return shape.steps().stream()
                .filter(step -> owed(step) && model.facts(step).confirming)
                .anyMatch(what);
    }

    private static boolean limited(StepShape step) {
        return confirm(step).attempts() > 0;
    }

    private static StepShape.Confirm confirm(StepShape step) {
        StepShape.Confirm confirm = step.confirm();
        if (confirm == null) {
            throw new Violation("TCC", step.name() + " is confirmed, and is no TCC step");
        }
        return confirm;
    }
}
