package io.backstep.saga;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Holds a generic type, which a class literal cannot: {@code new TypeRef<List<Item>>() {}}.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
    private final Type type;

    /** Reads the type argument of the anonymous subclass. */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType superclass)) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-017", "TypeRef needs a type argument: write new TypeRef<List<Item>>() {}");
        }
        this.type = superclass.getActualTypeArguments()[0];
    }

    static @Nullable Type typeOf(@Nullable TypeRef<?> ref) {
        return ref == null ? null : ref.type();
    }

    /**
     * The full type.
     *
     * @return the type
     */
    public final Type type() {
        return type;
    }
}
