package io.backstep.saga.engine;

import io.backstep.saga.SagaMigrationException;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import io.backstep.saga.StepStatus;
import io.backstep.saga.Thrown;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.serialization.Kept;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewVersion;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes of one saga one of a later version, or says why not. Changes nothing. */
final class Move {
    private final Node node;
    private final SagaMigration migration;
    private final Registered to;
    private final InstanceRow row;
    private final Map<String, String> keys;

    Move(Node node, SagaMigration migration, Registered to, InstanceRow row, Map<String, String> keys) {
        this.node = node;
        this.migration = migration;
        this.to = to;
        this.row = row;
        this.keys = keys;
    }

    Moved of(SagaState state, Map<String, String> results) {
        if (state.turned() != null) {
            throw new SagaMigrationException(
                    "SAGA-MIG-003", "it is on its way back, and is undone by the version that has done it");
        }
        checkOutput();
        checkPivot();
        Map<String, String> newKeys = new HashMap<>();
        Map<String, StepState> moved = steps(state, newKeys);
        List<StepState> fresh = fresh(state);
        List<StepState> steps = to.definition().steps().stream()
                .map(step -> moved.getOrDefault(step.name(), fresh.get(index(step.name()))))
                .toList();
        SagaState after = new SagaState(state.status(), null, state.pending(), state.parked(), state.deadline(), steps);
        checkOrder(after);
        checkDecision(after);
        checkKeys(after, newKeys);
        return new Moved(migration.from(), after, newKeys, version(), results(results));
    }

    /** The result that is told to its parent is as that expects it. */
    private void checkOutput() {
        String output = row.parent() == null ? null : row.parent().output();
        if (output == null) {
            return;
        }
        SagaDefinition<?> from = migration.from();
        boolean same = output.equals(migration.nameOf(output))
                && !migration.changesResult(output)
                && Objects.equals(
                        from.steps().get(from.indexOf(output)).resultType(),
                        to.definition().steps().get(index(output)).resultType());
        if (!same) {
            throw refused(
                    "SAGA-MIG-008",
                    output,
                    "is what its parent waits for, and has another name, another result or no place in v"
                            + to.row().version());
        }
    }

    /** Its parent may have it undone once it has completed. */
    private void checkPivot() {
        if (row.parent() != null
                && to.definition().staysCompleted()
                && !migration.from().staysCompleted()) {
            throw new SagaMigrationException(
                    "SAGA-MIG-008",
                    "its parent may want it undone once it has completed, and v"
                            + to.row().version() + " has a pivot or a TCC step: that cannot be undone then");
        }
    }

    /** Steps that have not begun, each in its place; a saga that begins later does so in its new version. */
    private List<StepState> fresh(SagaState state) {
        Optional<Duration> begin = state.steps().stream()
                .filter(step -> step.status() == StepStatus.PENDING)
                .map(StepState::notBefore)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder());
        if (begin.isPresent()) {
            return to.machine().start(null, begin.get()).state().steps();
        }
        return to.definition().steps().stream()
                .map(step -> step.condition() == null ? StepState.NEW : StepState.CONDITIONAL)
                .toList();
    }

    private static boolean hasBegun(StepState step) {
        boolean before =
                step.status() == StepStatus.PENDING && step.attempt() == 1 && !step.inDoubt() && step.children() == 0;
        return !before && step.status() != StepStatus.SKIPPED;
    }

    /** By their names in the later version. */
    private Map<String, StepState> steps(SagaState state, Map<String, String> newKeys) {
        Map<String, StepState> moved = new HashMap<>();
        SagaDefinition<?> from = migration.from();
        for (int i = 0; i < from.steps().size(); i++) {
            String was = from.steps().get(i).name();
            String is = migration.nameOf(was);
            StepState step = state.steps().get(i);
            boolean begun = hasBegun(step);
            if (is == null) {
                if (step.awaiting() && step.children() > 0) {
                    throw refused(
                            "SAGA-MIG-004",
                            was,
                            "waits for its child, and v" + to.row().version() + " lacks it");
                }
                if (begun && !migration.effectStays(was)) {
                    throw refused(
                            "SAGA-MIG-004", was, "has begun, and v" + to.row().version() + " lacks it");
                }
            } else if (begun) {
                checkNature(was);
                moved.put(is, step);
                String key = keys.getOrDefault(was, was);
                if (!key.equals(is)) {
                    newKeys.put(is, key);
                }
            } else if (step.status() == StepStatus.SKIPPED) {
                moved.put(is, step);
            }
        }
        return moved;
    }

    private void checkNature(String was) {
        String difference = migration.difference(was);
        if (difference != null) {
            throw refused("SAGA-MIG-005", was, "has begun, " + difference);
        }
    }

    /** What has begun waits for nothing that is not done: so it would have begun in the later version too. */
    private void checkOrder(SagaState after) {
        for (StepDefinition step : to.definition().steps()) {
            boolean open = after.steps().get(index(step.name())).status() == StepStatus.PENDING;
            for (String before : open ? List.<String>of() : step.waitsFor()) {
                if (!isDone(after, before)) {
                    throw refused("SAGA-MIG-006", step.name(), "has begun, and would have to wait for " + before);
                }
            }
        }
    }

    /** What is being confirmed is decided, for ever. */
    private void checkDecision(SagaState after) {
        for (StepDefinition step : to.definition().steps()) {
            StepStatus status = after.steps().get(index(step.name())).status();
            boolean confirmed = status == StepStatus.CONFIRMING || status == StepStatus.CONFIRMED;
            if (confirmed && !to.machine().isDecided(after)) {
                throw refused("SAGA-MIG-006", step.name(), "is confirmed, and the saga would be undecided again");
            }
        }
    }

    private boolean isDone(SagaState after, String name) {
        StepStatus status = after.steps().get(index(name)).status();
        boolean bestEffort = to.definition().steps().get(index(name)).kind() == StepKind.BEST_EFFORT;
        return switch (status) {
            case SUCCEEDED, SKIPPED, CONFIRMING, CONFIRMED -> true;
            case GIVEN_UP -> bestEffort;
            default -> false;
        };
    }

    /** A new step must not call by the key that another has called by, in this version or one before. */
    private void checkKeys(SagaState after, Map<String, String> newKeys) {
        for (StepDefinition step : to.definition().steps()) {
            boolean begun = hasBegun(after.steps().get(index(step.name())));
            if (!begun && (newKeys.containsValue(step.name()) || keys.containsValue(step.name()))) {
                throw refused("SAGA-MIG-005", step.name(), "has not begun, and another has called by its key");
            }
        }
    }

    private int index(String name) {
        return to.definition().indexOf(name);
    }

    private NewVersion version() {
        UUID id = row.sagaId();
        PayloadField field = PayloadField.input(id);
        Type type = migration.to().type().inputType();
        Kept kept = read(
                "its input",
                () -> node.payloads.read(
                        field, "the input", row.input(), migration.from().type().inputType()),
                migration::input,
                value -> node.json.keep("the input", value, type));
        return new NewVersion(
                to.row(),
                node.payloads.encode(field, kept.json()),
                node.payloads.hashes(kept.json()).get(0));
    }

    /** Results that stand under another name, or are others, from now on. */
    private Map<String, String> results(Map<String, String> results) {
        Map<String, String> changed = new LinkedHashMap<>();
        for (StepDefinition step : migration.from().steps()) {
            String result = results.get(step.name());
            String is = migration.nameOf(step.name());
            Type was = step.resultType();
            if (result != null && is != null && was != null) {
                boolean same = is.equals(step.name()) && !migration.changesResult(step.name());
                String moved = result(step.name(), is, was, result);
                if (!same && moved != null) {
                    changed.put(is, moved);
                }
            }
        }
        return changed;
    }

    private @Nullable String result(String was, String is, Type type, String stored) {
        Type now = to.definition().steps().get(index(is)).resultType();
        if (now == null) {
            return null;
        }
        PayloadField field = PayloadField.result(row.sagaId(), is);
        String what = "the result of step " + was;
        String moved = read(
                        what,
                        () -> node.payloads.read(PayloadField.result(row.sagaId(), was), "the result", stored, type),
                        value -> migration.result(was, value),
                        value -> node.payloads.keep(field, "the result", value, now))
                .result();
        if (moved == null) {
            throw new SagaMigrationException("SAGA-MIG-007", what + " would be null");
        }
        return moved;
    }

    private interface Reading {
        @Nullable
        Object read();
    }

    private interface Keeping {
        Kept keep(Object value);
    }

    /** What it throws is of the application, and may quote data. */
    private Kept read(String what, Reading reading, UnaryOperator<Object> change, Keeping keeping) {
        try {
            Object value = reading.read();
            Object changed = value == null ? null : change.apply(value);
            if (changed == null) {
                throw new SagaMigrationException("SAGA-MIG-007", what + " would be null");
            }
            return keeping.keep(changed);
        } catch (SagaMigrationException e) {
            throw e;
        } catch (SagaSerializationException e) {
            throw new SagaMigrationException("SAGA-MIG-007", what + ": " + e.getMessage());
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            String said = node.payloads.encodes() ? "" : ": " + Shown.line(String.valueOf(Thrown.message(e)), 200);
            throw new SagaMigrationException(
                    "SAGA-MIG-007", what + " cannot be changed: " + e.getClass().getName() + said);
        }
    }

    private static SagaMigrationException refused(String code, String step, String why) {
        return new SagaMigrationException(code, "step " + step + " " + why);
    }
}
