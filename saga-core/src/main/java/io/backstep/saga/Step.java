package io.backstep.saga;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Names a step and the type of its result. Two steps are equal when name and result type are.
 *
 * @param <R> the result of the step
 */
public final class Step<R> {
    private final String name;
    private final Type resultType;

    private Step(String name, @Nullable Type resultType) {
        this.name = Names.checked("step", name);
        this.resultType = Names.typed("step " + name, resultType);
    }

    /**
     * Names a step whose result is a plain class.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @param resultType the class of the result
     * @param <R> the result of the step
     * @return the step
     * @throws SagaDefinitionException {@code SAGA-DSL-001} or {@code SAGA-DSL-002} for a bad name, {@code SAGA-DSL-020}
     *     when the type is null
     */
    public static <R> Step<R> named(String name, Class<R> resultType) {
        return new Step<>(name, resultType);
    }

    /**
     * Names a step whose result is a generic type.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @param resultType the full type of the result
     * @param <R> the result of the step
     * @return the step
     * @throws SagaDefinitionException {@code SAGA-DSL-001} or {@code SAGA-DSL-002} for a bad name, {@code SAGA-DSL-020}
     *     when the type is null
     */
    public static <R> Step<R> named(String name, TypeRef<R> resultType) {
        return new Step<>(name, TypeRef.typeOf(resultType));
    }

    /**
     * The name, as stored.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The full type of the result.
     *
     * @return the type
     */
    public Type resultType() {
        return resultType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Step<?> that && name.equals(that.name) && resultType.equals(that.resultType);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
