package io.backstep.saga.serialization;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds where two values differ: 1.10 is 1.1, and null is nothing; sets may come back in another order. */
final class Difference {
    private Difference() {}

    /** The place of the first difference, such as {@code /items/0/price}. */
    static Optional<String> between(@Nullable JsonNode one, @Nullable JsonNode other) {
        return between("", one, other);
    }

    private static Optional<String> between(String path, @Nullable JsonNode one, @Nullable JsonNode other) {
        if (one instanceof ObjectNode object && other instanceof ObjectNode otherObject) {
            return betweenObjects(path, object, otherObject);
        }
        if (one instanceof ArrayNode array && other instanceof ArrayNode otherArray) {
            return betweenArrays(path, array, otherArray);
        }
        return same(one, other) ? Optional.empty() : Optional.of(path.isEmpty() ? "/" : path);
    }

    private static Optional<String> betweenObjects(String path, ObjectNode one, ObjectNode other) {
        Set<String> names = new TreeSet<>(one.propertyNames());
        names.addAll(other.propertyNames());
        return names.stream()
                .flatMap(name -> between(path + "/" + name, one.get(name), other.get(name)).stream())
                .findFirst();
    }

    private static Optional<String> betweenArrays(String path, ArrayNode one, ArrayNode other) {
        for (int i = 0; i < one.size() && one.size() == other.size(); i++) {
            Optional<String> found = between(path + "/" + i, one.get(i), other.get(i));
            if (found.isPresent()) {
                return isReordered(one, other) ? Optional.empty() : found;
            }
        }
        return one.size() == other.size() ? Optional.empty() : Optional.of(path.isEmpty() ? "/" : path);
    }

    private static boolean isReordered(ArrayNode one, ArrayNode other) {
        return canonical(one).equals(canonical(other));
    }

    private static String canonical(@Nullable JsonNode node) {
        if (node instanceof ObjectNode object) {
            return object.properties().stream()
                    .filter(property -> !isNothing(property.getValue()))
                    .map(property -> quoted(property.getKey()) + canonical(property.getValue()))
                    .sorted()
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (node instanceof ArrayNode array) {
            return array.valueStream().map(Difference::canonical).sorted().collect(Collectors.joining(",", "[", "]"));
        }
        if (node != null && node.isNumber()) {
            return node.decimalValue().stripTrailingZeros().toString();
        }
        return String.valueOf(node);
    }

    private static String quoted(String key) {
        return key.length() + ":" + key + "=";
    }

    private static boolean same(@Nullable JsonNode one, @Nullable JsonNode other) {
        if (one == null || one.isNull() || other == null || other.isNull()) {
            return isNothing(one) && isNothing(other);
        }
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue()) == 0;
        }
        return one.equals(other);
    }

    private static boolean isNothing(@Nullable JsonNode node) {
        return node == null || node.isNull();
    }
}
