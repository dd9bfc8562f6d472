package io.backstep.saga;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Names a kind of saga and the type of its input. Two types are equal when name and input type are.
 *
 * @param <I> the input of the saga
 */
public final class SagaType<I> {
    private final String name;
    private final Type inputType;

    private SagaType(String name, @Nullable Type inputType) {
        this.name = Names.checked("saga", name);
        this.inputType = Names.typed("saga " + name, inputType);
    }

    /**
     * Names a saga whose input is a plain class.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @param inputType the class of the input
     * @param <I> the input of the saga
     * @return the type
     * @throws SagaDefinitionException {@code SAGA-DSL-001} or {@code SAGA-DSL-002} for a bad name, {@code SAGA-DSL-020}
     *     when the type is null
     */
    public static <I> SagaType<I> named(String name, Class<I> inputType) {
        return new SagaType<>(name, inputType);
    }

    /**
     * Names a saga whose input is a generic type.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @param inputType the full type of the input
     * @param <I> the input of the saga
     * @return the type
     * @throws SagaDefinitionException {@code SAGA-DSL-001} or {@code SAGA-DSL-002} for a bad name, {@code SAGA-DSL-020}
     *     when the type is null
     */
    public static <I> SagaType<I> named(String name, TypeRef<I> inputType) {
        return new SagaType<>(name, TypeRef.typeOf(inputType));
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
     * The full type of the input.
     *
     * @return the type
     */
    public Type inputType() {
        return inputType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SagaType<?> that && name.equals(that.name) && inputType.equals(that.inputType);
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
