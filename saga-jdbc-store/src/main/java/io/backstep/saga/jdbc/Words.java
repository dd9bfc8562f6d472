package io.backstep.saga.jdbc;

import io.backstep.saga.Shown;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stored words that this version may not know: they come from a newer one, or from a hand. What shows them must open all the same. */
final class Words {
    private static final Logger log = LoggerFactory.getLogger(Words.class);
    private static final int MOST_TOLD = 100;
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private Words() {}

    /** The constant of that name, or null. */
    static <E extends Enum<E>> @Nullable E find(Class<E> type, @Nullable String word) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(word)) {
                return constant;
            }
        }
        return null;
    }

    /** The constant of that name, or another one in its place; each unknown word is logged once. */
    static <E extends Enum<E>> E read(Class<E> type, @Nullable String word, E unknown) {
        E found = find(type, word);
        if (found == null) {
            tell(type, word, unknown);
        }
        return found == null ? unknown : found;
    }

    /** The same for a column that may be null. */
    static <E extends Enum<E>> @Nullable E readOrNull(Class<E> type, @Nullable String word, E unknown) {
        return word == null ? null : read(type, word, unknown);
    }

    private static void tell(Class<?> type, @Nullable String word, Enum<?> shown) {
        String text = type.getSimpleName() + " " + Shown.quoted(word);
        if (TOLD.size() < MOST_TOLD && TOLD.add(text)) {
            log.warn("SAGA-DB-011: {} is stored and unknown to this version; it is shown as {}", text, shown);
        }
    }
}
