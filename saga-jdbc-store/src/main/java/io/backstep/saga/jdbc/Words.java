package io.backstep.saga.jdbc;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Shown;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stored words that this version may not know: they come from a newer one, or from a hand. What shows them must open all the same. */
final class Words {
    /** Of a row that this version can work on. Others are left alone, for a node that knows their words. */
    static final String KNOWN = known("");

    private static final Logger log = LoggerFactory.getLogger(Words.class);
    private static final int MOST_TOLD = 100;
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private Words() {}

    /** {@link #KNOWN}, of a table whose columns need a prefix. */
    static String known(String prefix) {
        return Arrays.stream(SagaReason.values())
                .map(SagaReason::name)
                .collect(Collectors.joining(
                        "', '",
                        "{p}status in ('RUNNING', 'COMPENSATING') and ({p}reason is null or {p}reason in ('",
                        "'))"))
                .replace("{p}", prefix);
    }

    /**
     * What a saga's row says of how it stands. With an unknown word it is shown as FAILED, UNREADABLE.
     *
     * @param unknownStatus the word, or null when it is known
     * @param unknownReason the word, or null when it is known
     */
    record Standing(
            SagaStatus status,
            @Nullable SagaReason reason,
            @Nullable String unknownStatus,
            @Nullable String unknownReason) {
        /** Each unknown word of each saga is logged once. */
        static Standing of(ResultSet row) throws SQLException {
            String status = row.getString("status");
            String reason = row.getString("reason");
            SagaStatus knownStatus = find(SagaStatus.class, status);
            SagaReason knownReason = find(SagaReason.class, reason);
            if (knownStatus == null) {
                leftAlone(row, "status " + Shown.quoted(status));
                return new Standing(SagaStatus.FAILED, SagaReason.UNREADABLE, String.valueOf(status), null);
            }
            if (knownReason == null && reason != null) {
                leftAlone(row, "reason " + Shown.quoted(reason));
                return new Standing(knownStatus, SagaReason.UNREADABLE, null, reason);
            }
            return new Standing(knownStatus, knownReason, null, null);
        }
    }

    private static void leftAlone(ResultSet row, String word) throws SQLException {
        UUID sagaId = Rows.id(row, "saga_id");
        if (isFirst(sagaId + " " + word)) {
            log.warn("SAGA-DB-010: saga {} is left alone for a node that knows its {}", sagaId, word);
        }
    }

    private static boolean isFirst(String text) {
        return TOLD.size() < MOST_TOLD && TOLD.add(text);
    }

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
        if (isFirst(text)) {
            log.warn("SAGA-DB-011: {} is stored and unknown to this version; it is shown as {}", text, shown);
        }
    }
}
