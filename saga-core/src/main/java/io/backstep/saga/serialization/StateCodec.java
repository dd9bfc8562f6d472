package io.backstep.saga.serialization;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.Question;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;

/**
 * The step states of a saga as one short line: {@code {"turned":"REJECTED","steps":{"reserve":1,"pay":["UNKNOWN",2,0,0,1]}}}. A step of
 * which there is nothing to tell but that it succeeded is its place of completion, from 1: most are, and each write has the line in it. Any other is its
 * status, then failures, interruptions, takeovers, flags, place of completion, microseconds until which it waits, how often its probe was
 * asked without an answer, and how many children it has started; zeros at the end are left out. Flags: 1 if in doubt, 2 if undecided, 4 if awaiting; 8, 16 or
 * 24 while a probe is asked before a retry, when attempts are spent, or after a rejection. Steps are found by name, never by position.
 */
public final class StateCodec {
    private static final int IN_DOUBT = 1;
    private static final int UNDECIDED = 2;
    private static final int AWAITING = 4;
    private static final int CAUSE = 8;

    private final ObjectReader strict;

    /**
     * Makes a codec.
     *
     * @param json whose limits hold here too
     */
    public StateCodec(Json json) {
        this.strict = json.mapper().reader().with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);
    }

    /**
     * Writes the step states.
     *
     * @param definition names the steps
     * @param state the state
     * @return one line
     */
    public String write(SagaDefinition<?> definition, SagaState state) {
        return write(definition, state, Map.of());
    }

    /**
     * Writes the step states of a saga that had another version.
     *
     * @param definition names the steps
     * @param state the state
     * @param keys of steps that had begun under another name that name, by their name now
     * @return one line
     */
    public String write(SagaDefinition<?> definition, SagaState state, Map<String, String> keys) {
        StringBuilder line = new StringBuilder("{");
        if (!keys.isEmpty()) {
            line.append("\"keys\":{")
                    .append(keys.entrySet().stream()
                            .map(key -> "\"" + key.getKey() + "\":\"" + key.getValue() + "\"")
                            .sorted()
                            .collect(Collectors.joining(",")))
                    .append("},");
        }
        if (state.turned() != null) {
            line.append("\"turned\":\"").append(state.turned().name()).append("\",");
        }
        if (state.pending() != null) {
            line.append("\"pending\":\"").append(state.pending().name()).append("\",");
        }
        line.append("\"steps\":{");
        for (int i = 0; i < state.steps().size(); i++) {
            line.append(i == 0 ? "\"" : ",\"")
                    .append(definition.steps().get(i).name())
                    .append("\":");
            write(line, state.steps().get(i));
        }
        return line.append("}}").toString();
    }

    /** Names of steps and statuses have no character that JSON would escape. */
    private static void write(StringBuilder line, StepState step) {
        if (step.completed() > 0 && step.equals(succeeded(step.completed()))) {
            line.append(step.completed());
            return;
        }
        line.append("[\"").append(step.status().name()).append('"');
        long waits = step.notBefore() == null ? 0 : micros(step.notBefore()) + 1;
        Question question = step.question();
        int cause = question == null ? 0 : CAUSE * (1 + question.cause().ordinal());
        int flags = (step.inDoubt() ? IN_DOUBT : 0)
                + (step.undecided() ? UNDECIDED : 0)
                + (step.awaiting() ? AWAITING : 0)
                + cause;
        int unanswered = question == null ? 0 : question.unanswered();
        long[] numbers = {
            step.failures(),
            step.interruptions(),
            step.takeovers(),
            flags,
            step.completed(),
            waits,
            unanswered,
            step.children()
        };
        int last = numbers.length;
        while (last > 0 && numbers[last - 1] == 0) {
            last--;
        }
        for (int i = 0; i < last; i++) {
            line.append(',').append(numbers[i]);
        }
        line.append(']');
    }

    /** A step that succeeded at once. */
    private static StepState succeeded(int place) {
        return new StepState(StepStatus.SUCCEEDED, 0, 0, 0, false, false, false, 0, place, null, null);
    }

    private static long micros(Duration duration) {
        return Math.addExact(duration.getSeconds() * 1_000_000L, (duration.getNano() + 999) / 1000);
    }

    /**
     * Reads the step states for the definition that a saga runs by.
     *
     * @param definition its definition
     * @param status its status
     * @param reason its reason
     * @param deadline its deadline, counted from its creation, or null
     * @param text what was written
     * @return the state
     * @throws SagaSerializationException {@code SAGA-SER-004} when it cannot be read, {@code SAGA-DEF-009} when it has other steps than the
     *     definition
     */
    public SagaState read(
            SagaDefinition<?> definition,
            SagaStatus status,
            @Nullable SagaReason reason,
            @Nullable Duration deadline,
            String text) {
        JsonNode root = root(text);
        Map<String, StepState> stored = steps(root);
        List<StepState> steps = new ArrayList<>();
        for (StepDefinition step : definition.steps()) {
            StepState state = stored.remove(step.name());
            if (state == null) {
                throw mismatch(definition, "has no state for step " + step.name());
            }
            steps.add(state);
        }
        if (!stored.isEmpty()) {
            throw mismatch(definition, "has steps that the definition lacks: " + stored.keySet());
        }
        SagaReason parked = status == SagaStatus.FAILED ? reason : null;
        return new SagaState(status, reason(root, "turned"), reason(root, "pending"), parked, deadline, steps);
    }

    private static SagaSerializationException mismatch(SagaDefinition<?> definition, String what) {
        return new SagaSerializationException("SAGA-DEF-009", "the stored saga of " + definition + " " + what);
    }

    /**
     * Reads the step states alone, for showing a saga whose definition need not be known.
     *
     * @param text what was written
     * @return the states by name, in order
     * @throws SagaSerializationException {@code SAGA-SER-004} when it cannot be read
     */
    public Map<String, StepState> steps(String text) {
        return steps(root(text));
    }

    /**
     * Reads the names under which steps had begun.
     *
     * @param text what was written
     * @return of steps that had begun under another name that name, by their name now
     * @throws SagaSerializationException {@code SAGA-SER-004} when it cannot be read
     */
    public Map<String, String> keys(String text) {
        if (!text.startsWith("{\"keys\":")) {
            return Map.of(); // nearly always: it is not read twice
        }
        Map<String, String> keys = new HashMap<>();
        try {
            root(text)
                    .required("keys")
                    .properties()
                    .forEach(entry -> keys.put(entry.getKey(), entry.getValue().asString()));
        } catch (JacksonException | IllegalArgumentException e) {
            throw unreadable(e);
        }
        return keys;
    }

    private JsonNode root(String text) {
        try {
            return strict.readTree(text);
        } catch (JacksonException e) {
            throw unreadable(e);
        }
    }

    private static Map<String, StepState> steps(JsonNode root) {
        Map<String, StepState> steps = new LinkedHashMap<>();
        try {
            root.required("steps").properties().forEach(entry -> steps.put(entry.getKey(), step(entry.getValue())));
        } catch (JacksonException | IllegalArgumentException | ArithmeticException e) {
            throw unreadable(e);
        }
        return steps;
    }

    private static StepState step(JsonNode array) {
        if (array.isNumber()) {
            return succeeded(place(array));
        }
        long flags = number(array, 4);
        long waits = number(array, 6);
        return new StepState(
                StepStatus.valueOf(array.required(0).asString()),
                Math.toIntExact(number(array, 1)),
                Math.toIntExact(number(array, 2)),
                Math.toIntExact(number(array, 3)),
                (flags & IN_DOUBT) != 0,
                (flags & UNDECIDED) != 0,
                (flags & AWAITING) != 0,
                Math.toIntExact(number(array, 8)),
                Math.toIntExact(number(array, 5)),
                waits == 0 ? null : Duration.ofNanos(Math.multiplyExact(waits - 1, 1000)),
                question(flags / CAUSE, number(array, 7)));
    }

    private static @Nullable Question question(long cause, long unanswered) {
        if (cause > Question.Cause.values().length) {
            throw new IllegalArgumentException(cause + " is no cause");
        }
        return cause == 0 ? null : new Question(Question.Cause.values()[(int) cause - 1], Math.toIntExact(unanswered));
    }

    private static long number(JsonNode array, int index) {
        if (!array.has(index)) {
            return 0;
        }
        return count(array.get(index));
    }

    private static int place(JsonNode number) {
        int place = Math.toIntExact(count(number));
        if (place == 0) {
            throw new IllegalArgumentException("0 is no place");
        }
        return place;
    }

    private static long count(JsonNode number) {
        if (!number.isIntegralNumber() || !number.canConvertToLong() || number.asLong() < 0) {
            throw new IllegalArgumentException(number + " is no count");
        }
        return number.asLong();
    }

    private static @Nullable SagaReason reason(JsonNode root, String name) {
        try {
            return root.has(name) ? SagaReason.valueOf(root.get(name).asString()) : null;
        } catch (IllegalArgumentException e) {
            throw unreadable(e);
        }
    }

    private static SagaSerializationException unreadable(Exception cause) {
        return new SagaSerializationException("SAGA-SER-004", "the stored step states cannot be read", cause);
    }
}
