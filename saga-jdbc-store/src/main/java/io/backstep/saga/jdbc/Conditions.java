package io.backstep.saga.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The conditions of a query, all of which must hold, with their values. */
final class Conditions {
    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    /** A condition on a value; none when there is no value. */
    Conditions with(String condition, @Nullable Object value) {
        if (value != null) {
            conditions.add(condition);
            values.add(value);
        }
        return this;
    }

    /** At least one of the values matches. */
    Conditions withAny(String condition, List<String> any) {
        if (!any.isEmpty()) {
            conditions.add(any.stream().map(value -> condition).collect(Collectors.joining(" or ", "(", ")")));
            values.addAll(any);
        }
        return this;
    }

    Conditions always(String condition) {
        conditions.add(condition);
        return this;
    }

    String where() {
        return conditions.isEmpty() ? "" : " where " + String.join(" and ", conditions);
    }

    /** The values in the order of the conditions, then others. */
    Object[] values(Object... more) {
        List<Object> all = new ArrayList<>(values);
        all.addAll(List.of(more));
        return all.toArray();
    }
}
