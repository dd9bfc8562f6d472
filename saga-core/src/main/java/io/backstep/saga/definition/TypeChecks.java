package io.backstep.saga.definition;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds types that can't be stored as JSON, as far as the type alone tells. */
final class TypeChecks {
    private TypeChecks() {}

    /** What is wrong with the type of an input or a result. */
    static Optional<String> fault(Type type) {
        if (type.equals(Object.class)) {
            return Optional.of("java.lang.Object; name the type");
        }
        if (type instanceof Class<?> plain && plain.isPrimitive()) {
            return Optional.of("the primitive " + plain + "; name its class, such as Integer.class");
        }
        return partFault(type).or(() -> new FieldChecks().fault(type));
    }

    private static Optional<String> partFault(Type type) {
        if (type instanceof Class<?> plain) {
            return plain.isArray() ? partFault(plain.getComponentType()) : classFault(plain);
        }
        if (type instanceof GenericArrayType array) {
            return partFault(array.getGenericComponentType());
        }
        if (type instanceof ParameterizedType generic) {
            return genericFault(generic);
        }
        return Optional.of(type.getTypeName() + ", which is no definite type; name one without ? and type variables");
    }

    private static Optional<String> classFault(Class<?> plain) {
        return plain.getTypeParameters().length == 0
                ? resourceFault(plain)
                : Optional.of("the raw type " + plain.getName() + "; use a TypeRef that names its type arguments");
    }

    private static Optional<String> genericFault(ParameterizedType generic) {
        return Stream.concat(
                        resourceFault(generic.getRawType()).stream(),
                        Stream.of(generic.getActualTypeArguments()).flatMap(part -> partFault(part).stream()))
                .findFirst();
    }

    private static Optional<String> resourceFault(Type type) {
        return type instanceof Class<?> plain && AutoCloseable.class.isAssignableFrom(plain)
                ? Optional.of(plain.getName() + ", a resource; only data can be stored")
                : Optional.empty();
    }
}
