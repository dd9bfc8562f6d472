package io.backstep.saga.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An INSERT of one row that takes over the row that is in its way, if that is free, and leaves it as it is otherwise. Who has taken it
 * has left its token there. In expressions {@code old.} stands before the columns of the row that is there, {@code new.} before those that
 * would be inserted.
 *
 * @param table its name, without prefix
 * @param columns the key first
 * @param free when it may be taken over
 * @param read the columns that are read
 */
record Taking(String table, List<Column> columns, String free, String read) {
    private static final Pattern NEW = Pattern.compile("new\\.(\\w+)");
    private static final String TOKEN = "token";

    /**
     * A column.
     *
     * @param name its name
     * @param value what is inserted: an expression with at most one place for a value
     * @param whenTaken what a row is given that is taken over, or null to leave it: {@code new.} and its name, or a place for a value
     */
    record Column(String name, String value, @Nullable String whenTaken) {
        boolean hasPlace() {
            return value.contains("?");
        }
    }

    /**
     * Values for the places.
     *
     * @param inserted of the row that is inserted, in order
     * @param taken of the row that is taken over
     */
    record Values(List<@Nullable Object> inserted, List<Object> taken) {
        @Nullable
        Object[] all() {
            List<@Nullable Object> all = new ArrayList<>(inserted);
            all.addAll(taken);
            return all.toArray();
        }
    }

    String key() {
        return columns.get(0).name();
    }

    String names() {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    String values() {
        return columns.stream().map(Column::value).collect(Collectors.joining(", "));
    }

    String insert() {
        return "insert into {q}" + table + " (" + names() + ") values (" + values() + ")";
    }

    String select() {
        return "select " + read + " from {q}" + table + " where " + key() + " = ?";
    }

    /** Assignments where all see the row as it was. */
    String assignments() {
        return assignments(free);
    }

    /** Assignments where each sees what those before it have changed: the token first, and it tells the others. */
    String assignmentsInOrder() {
        return assign(TOKEN, "new." + TOKEN, free) + ", " + assignments("old." + TOKEN + " = new." + TOKEN);
    }

    private String assignments(String when) {
        boolean inOrder = !when.equals(free);
        return columns.stream()
                .filter(column ->
                        column.whenTaken() != null && !(inOrder && column.name().equals(TOKEN)))
                .map(column -> assign(column.name(), String.valueOf(column.whenTaken()), when))
                .collect(Collectors.joining(", "));
    }

    private static String assign(String name, String value, String when) {
        return name + " = case when " + when + " then " + value + " else old." + name + " end";
    }

    /** A statement and its values. */
    record Bound(String statement, List<@Nullable Object> values) {}

    /** Takes the row over where there is no one statement for both. */
    Bound update(Values values) {
        String assignments = columns.stream()
                .filter(column -> column.whenTaken() != null)
                .map(column -> column.name() + " = " + column.whenTaken())
                .collect(Collectors.joining(", "));
        List<@Nullable Object> bound = new ArrayList<>();
        String set = bind(assignments, values, bound);
        bound.add(values.inserted().get(0));
        String where = bind(free.replace("old.", ""), values, bound);
        return new Bound("update {q}" + table + " set " + set + " where " + key() + " = ? and (" + where + ")", bound);
    }

    /** Writes out what would be inserted, and collects the values in the order of their places. */
    private String bind(String expression, Values values, List<@Nullable Object> bound) {
        Matcher places = Pattern.compile(NEW.pattern() + "|\\?").matcher(expression);
        List<Object> taken = new ArrayList<>(values.taken());
        return places.replaceAll(place -> {
            if (place.group(1) == null) {
                bound.add(taken.remove(0));
                return "?";
            }
            return Matcher.quoteReplacement(inserted(place, values, bound));
        });
    }

    private String inserted(MatchResult place, Values values, List<@Nullable Object> bound) {
        int at = 0;
        for (Column column : columns) {
            if (column.name().equals(place.group(1))) {
                if (column.hasPlace()) {
                    bound.add(values.inserted().get(at));
                }
                return column.value();
            }
            at += column.hasPlace() ? 1 : 0;
        }
        throw new IllegalStateException("no column " + place.group(1));
    }
}
