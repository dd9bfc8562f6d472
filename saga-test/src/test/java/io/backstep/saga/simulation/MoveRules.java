package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.OperatorWrite;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An instance gets another version at rest, from a node that knows how, as long as nothing is undone; what has begun keeps its place, its result and its key. */
final class MoveRules {
    private static final Pattern STATUS = Pattern.compile("\"([^\"]+)\":\\[\"([A-Z_]+)\"");

    private final World world;

    MoveRules(World world) {
        this.world = world;
    }

    static boolean isMove(OperatorWrite write) {
        return write.version() != null;
    }

    /** Its owner has taken it to move it, and knows that it is not its own any more. */
    static boolean byItsOwner(OperatorWrite write, InstanceRow before) {
        String owner = before.owner();
        return isMove(write)
                && owner != null
                && write.mutation().history().stream().anyMatch(line -> owner.startsWith(line.node() + "/"));
    }

    /** The lines of one write: those before the move are of the former version. What is left is for other rules. */
    List<HistoryRow> written(Watched saga, InstanceRow before, InstanceRow after, List<HistoryRow> lines) {
        int at = place(lines);
        if (at < 0) {
            require(before.definitionId() == after.definitionId(), "I17", () -> "its version changes");
            saga.model.write(lines, after.status());
            return lines;
        }
        saga.model.write(lines.subList(0, at), before.status());
        HistoryEntry line = lines.get(at).entry();
        require(
                after.version() > before.version()
                        && Objects.equals(line.errorText(), "from v" + before.version() + " to v" + after.version()),
                "G17",
                () -> "moved from v" + before.version() + " to v" + after.version() + ": " + line.errorText());
        require(world.trouble.moves(line.node()), "G17", () -> line.node() + " does not know how to move it");
        require(
                before.status() == SagaStatus.RUNNING && !saga.model.turned,
                "MOVE",
                () -> "it is moved while " + before.status());
        require(
                !after.steps().contains("\"EXECUTING\""),
                "MOVE",
                () -> "it is moved with an attempt under way: " + after.steps());
        world.callRules.restsFor(saga, after.sagaId());
        Shape to = world.scenario.shape(after.name(), after.version());
        for (StepShape step : saga.shape.steps()) {
            boolean gone = to.same(step) == null && !Moves.effectStays(step);
            require(
                    !gone
                            || saga.model.facts(step).skipped
                            || !saga.model.facts(step).hasBegun(),
                    "MOVE",
                    () -> step.name() + " has begun, and is left out");
        }
        String rest = before.steps();
        saga.move(to, step -> hasBegun(rest, step));
        world.tally.reach(Goal.MOVED);
        world.tally.reachIf(saga.model.steps.stream().anyMatch(step -> step.done), Goal.MOVED_WITH_SOMETHING_DONE);
        lines.subList(at + 1, lines.size()).forEach(row -> result(saga, after, row.entry()));
        return List.of();
    }

    private static int place(List<HistoryRow> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).entry().outcome() == Outcome.MIGRATED) {
                return i;
            }
        }
        return -1;
    }

    private static boolean hasBegun(String steps, StepShape step) {
        Matcher found = STATUS.matcher(steps);
        while (found.find()) {
            if (found.group(1).equals(step.name())) {
                return !found.group(2).equals("PENDING");
            }
        }
        return false;
    }

    /** What a step has brought, under the name that it has now. */
    private static void result(Watched saga, InstanceRow row, HistoryEntry line) {
        StepShape step = saga.shape.step(line.step());
        int value = Integer.parseInt(row.input()) * 100 + step.origin();
        require(
                line.phase() == Phase.ACTION
                        && line.outcome() == Outcome.SUCCEEDED
                        && saga.model.facts(step).done
                        && String.valueOf(value).equals(line.result()),
                "MOVE",
                () -> "a move says of " + step.name() + ": " + line);
    }
}
