package io.backstep.saga.definition;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Looks into the application's own classes for fields that can't be stored as JSON, and names them. */
final class FieldChecks {
    private final Set<Class<?>> seen = new HashSet<>();

    /** What is wrong with a type, by what it is made of. */
    Optional<String> fault(Type type) {
        return parts(type).flatMap(part -> fault(part, part.getName()).stream()).findFirst();
    }

    private Optional<String> fault(Class<?> type, String path) {
        if (type.getName().startsWith("java.") || !seen.add(type)) {
            return Optional.empty();
        }
        if (isInner(type)) {
            return Optional.of(path + ", an inner class, which needs its outer object; make it static, or a record");
        }
        return Stream.<Class<?>>iterate(
                        type, each -> each != null && !each.getName().startsWith("java."), Class::getSuperclass)
                .flatMap(each -> Stream.of(each.getDeclaredFields()))
                .filter(FieldChecks::isStored)
                .flatMap(field -> fault(field, path + "." + field.getName()).stream())
                .findFirst();
    }

    private Optional<String> fault(Field field, String path) {
        if (AutoCloseable.class.isAssignableFrom(field.getType())) {
            return Optional.of(
                    path + ", a " + field.getType().getName() + ", which is a resource; only data can be stored");
        }
        return parts(field.getGenericType())
                .flatMap(part -> fault(part, path).stream())
                .findFirst();
    }

    private static boolean isStored(Field field) {
        boolean ignored = Stream.of(field.getAnnotations())
                .anyMatch(each -> each.annotationType().getSimpleName().equals("JsonIgnore"));
        int modifiers = field.getModifiers();
        return !ignored && !field.isSynthetic() && !Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers);
    }

    private static boolean isInner(Class<?> type) {
        return type.getEnclosingClass() != null
                && !Modifier.isStatic(type.getModifiers())
                && !type.isInterface()
                && !type.isRecord()
                && !type.isEnum();
    }

    /** The classes that a type names: itself, its elements, its arguments. */
    private static Stream<Class<?>> parts(Type type) {
        if (type instanceof Class<?> plain) {
            return plain.isArray() ? parts(plain.getComponentType()) : Stream.of(plain);
        }
        if (type instanceof ParameterizedType generic) {
            return Stream.concat(
                    parts(generic.getRawType()),
                    Stream.of(generic.getActualTypeArguments()).flatMap(FieldChecks::parts));
        }
        return Stream.empty();
    }
}
