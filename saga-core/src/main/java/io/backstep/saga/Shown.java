package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** Shows foreign text in messages and logs: on one line, and cut. */
public final class Shown {
    private static final int LONGEST = 64;

    private Shown() {}

    /**
     * Quotes a value for a message: control characters escaped, cut to 64 characters.
     *
     * @param value what somebody handed in, or null
     * @return one line, safe to log
     */
    public static String quoted(@Nullable Object value) {
        return value == null ? "null" : '"' + line(String.valueOf(value), LONGEST) + '"';
    }

    /**
     * Makes one line of a text: control characters and line separators escaped, cut at the given length.
     *
     * @param text any text
     * @param longest the most characters of the text that are kept
     * @return one line; ends with {@code ...} when it was cut
     */
    public static String line(String text, int longest) {
        StringBuilder shown = new StringBuilder();
        int end = text.offsetByCodePoints(0, Math.min(longest, text.codePointCount(0, text.length())));
        text.substring(0, end).codePoints().forEach(c -> append(shown, c));
        return end < text.length() ? shown.append("...").toString() : shown.toString();
    }

    private static void append(StringBuilder shown, int c) {
        int type = Character.getType(c);
        boolean hidden = Character.isISOControl(c)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
        if (hidden) {
            shown.append(String.format("\\u%04x", c));
        } else {
            shown.appendCodePoint(c);
        }
    }
}
