package io.backstep.saga.test.exploration;

import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Linear sagas, a letter for each step: {@code c} compensatable, {@code t} the same but transactional, {@code n} without need of a
 * compensation, {@code p} pivot, {@code q} transactional pivot, {@code r} retriable, {@code u} transactional retriable, {@code b}
 * best-effort. A {@code !} behind them makes the compensation strict. The name of a step is its letter and its index.
 */
final class Shape {
    static final int ATTEMPTS = 2;
    static final Duration DELAY = Duration.ofSeconds(1);

    private static final Retry TWICE = Retry.fixed(DELAY).maxAttempts(ATTEMPTS);
    private static final String BEFORE = "ctnb";
    private static final String PIVOTS = "pq";
    private static final String AFTER = "rub";

    private Shape() {}

    static SagaDefinition<String> of(String letters) {
        SagaStage<String> stage = Saga.define(SagaType.named("explored", String.class));
        for (int i = 0; i < letters.length(); i++) {
            stage = letters.charAt(i) == '!' ? stage.strictCompensation() : step(stage, letters.charAt(i), i);
        }
        return stage.build();
    }

    private static SagaStage<String> step(SagaStage<String> saga, char letter, int index) {
        String name = letter + "" + index;
        return switch (letter) {
            case 'c' ->
                saga.step(name).action(c -> {}).compensate(c -> {}).retry(TWICE).compensationRetry(TWICE);
            case 't' ->
                saga.step(name)
                        .transactional()
                        .action(c -> {})
                        .compensate(c -> {})
                        .retry(TWICE)
                        .compensationRetry(TWICE);
            case 'n' ->
                saga.step(name).action(c -> {}).noCompensation("it only reads").retry(TWICE);
            case 'p' -> saga.pivot(name).action(c -> {}).retry(TWICE);
            case 'q' -> saga.pivot(name).transactional().action(c -> {}).retry(TWICE);
            case 'r' -> saga.retriable(name).action(c -> {}).retry(TWICE);
            case 'u' -> saga.retriable(name).transactional().action(c -> {}).retry(TWICE);
            case 'b' -> saga.bestEffort(name).action(c -> {}).retry(TWICE);
            default -> throw new IllegalArgumentException("no step is called " + letter);
        };
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
