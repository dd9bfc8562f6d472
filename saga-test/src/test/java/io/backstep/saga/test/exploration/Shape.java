package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.PlacementStage;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.TuningStage;
import io.backstep.saga.definition.VoidActionStage;
import io.backstep.saga.definition.VoidChildStage;
import io.backstep.saga.definition.VoidCompensationStage;
import io.backstep.saga.definition.VoidStepStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Sagas, a letter for each step: {@code c} compensatable, {@code t} the same but transactional, {@code n} without need of a
 * compensation, {@code p} pivot, {@code q} transactional pivot, {@code r} retriable, {@code u} transactional retriable, {@code b}
 * best-effort, {@code s} waits for a signal, {@code d} is a delay. Some start a child: {@code k} compensatable, and undone by it,
 * {@code m} the same, but mended by a compensation of its own, {@code o} without need of one, {@code v} pivot, {@code w} retriable. A capital asks its condition first. A {@code !} behind them makes the
 * compensation strict. The name of a step is its letter and its index.
 */
final class Shape {
    static final int ATTEMPTS = 2;
    static final Duration DELAY = Duration.ofSeconds(1);

    /** How long a signal is waited for; half of it is a delay. */
    static final Duration WAIT = Duration.ofSeconds(60);

    private static final SagaType<String> CHILD = SagaType.named("child", String.class);
    private static final Retry TWICE = Retry.fixed(DELAY).maxAttempts(ATTEMPTS);
    private static final String BEFORE = "ctnb";
    private static final String PIVOTS = "pq";
    private static final String AFTER = "rub";

    private Shape() {}

    static SagaDefinition<String> of(String letters) {
        return of(letters, Map.of());
    }

    /** Some steps wait for others than those before them: by name, what for. */
    static SagaDefinition<String> of(String letters, Map<String, List<String>> after) {
        SagaStage<String> stage = Saga.define(SagaType.named("explored", String.class));
        for (int i = 0; i < letters.length(); i++) {
            stage = letters.charAt(i) == '!' ? stage.strictCompensation() : step(stage, letters.charAt(i), i, after);
        }
        return stage.build();
    }

    private static SagaStage<String> step(
            SagaStage<String> saga, char letter, int index, Map<String, List<String>> after) {
        String name = letter + "" + index;
        List<String> names = after.get(name);
        boolean asks = Character.isUpperCase(letter);
        return switch (Character.toLowerCase(letter)) {
            case 'c' -> undoable(placed(saga.step(name), names, asks));
            case 't' -> undoable(placed(saga.step(name), names, asks).transactional());
            case 'n' ->
                placed(saga.step(name), names, asks)
                        .action(c -> {})
                        .noCompensation("it only reads")
                        .retry(TWICE);
            case 'p' -> last(placed(saga.pivot(name), names, asks));
            case 'q' -> last(placed(saga.pivot(name), names, asks).transactional());
            case 'r' -> last(placed(saga.retriable(name), names, asks));
            case 'u' -> last(placed(saga.retriable(name), names, asks).transactional());
            case 'b' -> last(placed(saga.bestEffort(name), names, asks));
            case 's' -> placed(saga.awaitSignal(Step.named(name, String.class), WAIT), names, asks);
            case 'd' -> placed(saga.delay(name, WAIT.dividedBy(2)), names, asks);
            case 'k' -> child(saga.step(name), names, asks).retry(TWICE);
            case 'm' ->
                child(saga.step(name), names, asks)
                        .compensate(c -> {})
                        .retry(TWICE)
                        .compensationRetry(TWICE);
            case 'o' ->
                child(saga.step(name), names, asks)
                        .noCompensation("it only reads")
                        .retry(TWICE);
            case 'v' -> child(saga.pivot(name), names, asks).retry(TWICE);
            case 'w' -> child(saga.retriable(name), names, asks).retry(TWICE);
            default -> throw new IllegalArgumentException("no step is called " + letter);
        };
    }

    private static VoidChildStage<String> child(VoidStepStage<String, ?> step, List<String> after, boolean asks) {
        return placed(step, after, asks).startSaga(CHILD, c -> "input");
    }

    private static <S extends PlacementStage<String, S>> S placed(S step, List<String> after, boolean asks) {
        S asking = asks ? step.onlyIf(c -> true) : step;
        if (after == null) {
            return asking;
        }
        return after.isEmpty() ? asking.afterStart() : asking.after(after.toArray(new String[0]));
    }

    private static SagaStage<String> undoable(VoidActionStage<String, VoidCompensationStage<String>> step) {
        return step.action(c -> {}).compensate(c -> {}).retry(TWICE).compensationRetry(TWICE);
    }

    private static SagaStage<String> last(VoidActionStage<String, ? extends TuningStage<String>> step) {
        return step.action(c -> {}).retry(TWICE);
    }

    /** Every shape of so many steps that has a step which is not best-effort. */
    static List<String> all(int length) {
        List<String> found = new ArrayList<>();
        words(BEFORE, length).stream()
                .filter(word -> !word.replace("b", "").isEmpty())
                .forEach(found::add);
        for (int at = 0; at < length; at++) {
            for (String before : words(BEFORE, at)) {
                for (String pivot : words(PIVOTS, 1)) {
                    words(AFTER, length - at - 1).forEach(after -> found.add(before + pivot + after));
                }
            }
        }
        return found;
    }

    private static List<String> words(String letters, int length) {
        List<String> words = List.of("");
        for (int i = 0; i < length; i++) {
            words = words.stream()
                    .flatMap(word -> letters.chars().mapToObj(letter -> word + (char) letter))
                    .toList();
        }
        return words;
    }
}
