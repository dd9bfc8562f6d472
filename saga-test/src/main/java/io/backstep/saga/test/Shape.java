package io.backstep.saga.test;

import io.backstep.saga.definition.SagaDefinition;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a definition's input and results consist of, a line for each value: {@code pay.lines[].sku String}. Names of classes and packages
 * do not matter where a record or a sealed interface tells what is in it.
 */
final class Shape {
    private final Set<String> lines = new TreeSet<>();

    private Shape() {}

    static Set<String> of(SagaDefinition<?> definition) {
        Shape shape = new Shape();
        shape.add("(input)", definition.type().inputType(), Map.of(), Set.of());
        definition.steps().forEach(step -> {
            Type result = step.resultType();
            if (result != null) {
                shape.add(step.name(), result, Map.of(), Set.of());
            }
        });
        return shape.lines;
    }

    private void add(String path, Type type, Map<String, Type> variables, Set<Type> around) {
        if (around.contains(type)) {
            line(path, "as above");
            return;
        }
        Set<Type> inside = new LinkedHashSet<>(around);
        inside.add(type);
        if (type instanceof Class<?> plain) {
            addClass(path, plain, variables, inside);
        } else if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            addGeneric(path, generic, raw, variables, inside);
        } else if (type instanceof GenericArrayType array) {
            add(path + "[]", array.getGenericComponentType(), variables, inside);
        } else if (type instanceof TypeVariable<?> variable && variables.containsKey(variable.getName())) {
            add(path, variables.get(variable.getName()), variables, inside);
        } else {
            line(path, type.getTypeName());
        }
    }

    private void addClass(String path, Class<?> type, Map<String, Type> variables, Set<Type> inside) {
        if (type.isRecord()) {
            addRecord(path, type, variables, inside);
        } else if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                line(path, "= " + ((Enum<?>) constant).name());
            }
        } else if (type.isSealed()) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                add(path + "(" + permitted.getSimpleName() + ")", permitted, variables, inside);
            }
        } else if (type.isArray()) {
            add(path + "[]", type.getComponentType(), variables, inside);
        } else {
            line(
                    path,
                    type.getName().startsWith("java.") || type.isPrimitive() ? type.getSimpleName() : type.getName());
        }
    }

    private void addRecord(String path, Class<?> type, Map<String, Type> variables, Set<Type> inside) {
        line(path, "{}");
        for (RecordComponent component : type.getRecordComponents()) {
            add(path + "." + component.getName(), component.getGenericType(), variables, inside);
        }
    }

    private void addGeneric(
            String path, ParameterizedType type, Class<?> raw, Map<String, Type> variables, Set<Type> inside) {
        Type[] arguments = type.getActualTypeArguments();
        if (Collection.class.isAssignableFrom(raw)) {
            add(path + "[]", arguments[0], variables, inside);
        } else if (raw == Optional.class) {
            add(path, arguments[0], variables, inside);
        } else if (Map.class.isAssignableFrom(raw) && arguments.length == 2) {
            add(path + "{}", arguments[1], variables, inside);
        } else if (raw.isRecord()) {
            Map<String, Type> bound = new HashMap<>();
            for (int i = 0; i < arguments.length; i++) {
                Type argument = arguments[i];
                boolean outer = argument instanceof TypeVariable<?> v && variables.containsKey(v.getName());
                bound.put(
                        raw.getTypeParameters()[i].getName(), outer ? variables.get(argument.getTypeName()) : argument);
            }
            addRecord(path, raw, bound, inside);
        } else {
            line(path, type.getTypeName());
        }
    }

    /** Primitives and their wrappers are stored alike. */
    private void line(String path, String what) {
        String boxed = switch (what) {
            case "int" -> "Integer";
            case "char" -> "Character";
            case "long", "short", "byte", "double", "float", "boolean" ->
                Character.toUpperCase(what.charAt(0)) + what.substring(1);
            default -> what;
        };
        lines.add(path + " " + boxed);
    }
}
