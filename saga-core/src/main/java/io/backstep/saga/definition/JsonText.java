package io.backstep.saga.definition;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, numbers, booleans and texts as JSON, indented. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    static String of(Map<String, ?> object) {
        JsonText json = new JsonText();
        json.value(object, "\n");
        return json.text.append('\n').toString();
    }

    private void value(@Nullable Object value, String newLine) {
        if (value instanceof Map<?, ?> object) {
            members(object, newLine);
        } else if (value instanceof List<?> list) {
            elements(list, newLine);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            quoted(value.toString());
        }
    }

    private void members(Map<?, ?> object, String newLine) {
        String separator = "";
        text.append('{');
        for (Map.Entry<?, ?> member : object.entrySet()) {
            text.append(separator).append(newLine).append("  ");
            quoted(String.valueOf(member.getKey()));
            text.append(": ");
            value(member.getValue(), newLine + "  ");
            separator = ",";
        }
        text.append(object.isEmpty() ? "}" : newLine + "}");
    }

    private void elements(List<?> list, String newLine) {
        text.append('[');
        for (Iterator<?> elements = list.iterator(); elements.hasNext(); ) {
            text.append(newLine).append("  ");
            value(elements.next(), newLine + "  ");
            text.append(elements.hasNext() ? "," : "");
        }
        text.append(list.isEmpty() ? "]" : newLine + "]");
    }

    private void quoted(String value) {
        text.append('"');
        value.chars().forEach(this::character);
        text.append('"');
    }

    private void character(int c) {
        if (c == '"' || c == '\\') {
            text.append('\\').append((char) c);
        } else if (c < ' ' || Character.isSurrogate((char) c)) {
            text.append(String.format(Locale.ROOT, "\\u%04x", c));
        } else {
            text.append((char) c);
        }
    }
}
