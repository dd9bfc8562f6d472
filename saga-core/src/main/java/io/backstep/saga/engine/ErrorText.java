package io.backstep.saga.engine;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.Thrown;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Makes of any exception a code and a text that can be stored, whatever the exception does. */
record ErrorText(String code, String text) {
    private static final int MAX_BYTES = 4000;
    private static final int MAX_CODE = 200;
    private static final int MAX_CAUSES = 10;

    static ErrorText of(Throwable thrown) {
        return new ErrorText(code(thrown), chain(thrown));
    }

    static ErrorText of(String code, String text) {
        return new ErrorText(code, cut(clean(text)));
    }

    private static String code(Throwable thrown) {
        String said = thrown instanceof StepRejectedException rejected ? rejected.code() : null;
        String code = clean(said == null ? thrown.getClass().getName() : said);
        return code.substring(0, wholeCharacters(code, MAX_CODE));
    }

    private static int wholeCharacters(String text, int most) {
        if (text.length() <= most) {
            return text.length();
        }
        return Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    }

    private static String chain(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable next = thrown;
        while (next != null && seen.add(next) && seen.size() <= MAX_CAUSES) {
            text.append(text.isEmpty() ? "" : "; caused by ").append(one(next));
            next = Thrown.cause(next);
        }
        return cut(clean(text.toString()));
    }

    private static String one(Throwable thrown) {
        String message = Thrown.message(thrown);
        String name = thrown.getClass().getName();
        return message == null ? name : name + ": " + message.substring(0, Math.min(message.length(), MAX_BYTES));
    }

    /** Replaces what databases refuse: U+0000 and lone surrogates. */
    private static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c == 0 || Character.getType(c) == Character.SURROGATE ? 0xFFFD : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    /** Cuts between characters so that the rest has at most {@link #MAX_BYTES} bytes as UTF-8. */
    private static String cut(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return text;
        }
        StringBuilder kept = new StringBuilder();
        int bytes = "...".length();
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            String character = Character.toString(text.codePointAt(i));
            bytes += character.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_BYTES) {
                break;
            }
            kept.append(character);
        }
        return kept.append("...").toString();
    }
}
