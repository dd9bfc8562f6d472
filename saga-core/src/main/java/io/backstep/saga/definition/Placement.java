package io.backstep.saga.definition;

import io.backstep.saga.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a step that is being defined says of its place. */
final class Placement {
    private final List<String> named = new ArrayList<>();
    private final List<Step<?>> typed = new ArrayList<>();
    private boolean saysAfter;
    private boolean atStart;
    private boolean atStartUnlessSaid;
    private @Nullable Predicate<SagaData<Object>> condition;

    void after(List<String> names) {
        saysAfter = true;
        named.addAll(names);
    }

    void after(Step<?>[] steps) {
        after(Stream.of(steps).map(Step::name).toList());
        typed.addAll(List.of(steps));
    }

    void atStart() {
        atStart = true;
    }

    void atStartUnlessSaid() {
        atStartUnlessSaid = true;
    }

    void onlyIf(Predicate<SagaData<Object>> given) {
        condition = given;
    }

    /** In the order in which they were named, some of them perhaps wrong. */
    List<String> named() {
        return named;
    }

    /** Those of them that were named together with their result. */
    List<Step<?>> typed() {
        return typed;
    }

    boolean saysAfter() {
        return saysAfter;
    }

    boolean isAtStart() {
        return atStart;
    }

    /** Whether it waits for every step that is declared before it. */
    boolean isLinear() {
        return !saysAfter && !atStart && !atStartUnlessSaid;
    }

    @Nullable
    Predicate<SagaData<Object>> condition() {
        return condition;
    }

    /** The names of the steps to wait for, in the order of their declaration. */
    List<String> waitsFor(List<String> declaredBefore) {
        boolean all = isLinear();
        return declaredBefore.stream()
                .filter(name -> all || named.contains(name))
                .toList();
    }
}
