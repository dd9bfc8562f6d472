package io.backstep.saga.store;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the in-memory store refuses: as much as the strictest database does, so that nobody learns it there. */
final class MemoryChecks {
    private static final int LONGEST_KEY = 200;

    private MemoryChecks() {}

    static Optional<SagaStoreException> refusal(NewInstance instance) {
        String key = instance.businessKey();
        if (key != null && key.codePointCount(0, key.length()) > LONGEST_KEY) {
            return Optional.of(refused("the business key has more than " + LONGEST_KEY + " characters"));
        }
        return unreadable(Stream.of(key, instance.inputHash(), instance.steps(), instance.input()));
    }

    static Optional<SagaStoreException> refusal(Mutation mutation, InstanceRow after) {
        if (after.status().active() != (after.dueAt() != null)) {
            return Optional.of(refused("a saga that is " + after.status() + " would have "
                    + (after.dueAt() == null ? "no due time" : "a due time")));
        }
        return unreadable(Stream.of(
                        Stream.of(mutation.steps()),
                        mutation.history().stream().flatMap(MemoryChecks::texts),
                        mutation.compensations().stream().flatMap(MemoryChecks::texts))
                .flatMap(texts -> texts));
    }

    private static Stream<@Nullable String> texts(HistoryEntry entry) {
        return Stream.of(entry.step(), entry.result(), entry.errorCode(), entry.errorText(), entry.node());
    }

    private static Stream<@Nullable String> texts(CompensationEntry entry) {
        return Stream.of(entry.step(), entry.request(), entry.response(), entry.lastError());
    }

    private static Optional<SagaStoreException> unreadable(Stream<@Nullable String> texts) {
        return texts.filter(Objects::nonNull).anyMatch(MemoryChecks::isUnreadable)
                ? Optional.of(
                        refused("a text has a character that not every database can keep (U+0000, or half a pair)"))
                : Optional.empty();
    }

    private static boolean isUnreadable(String text) {
        return text.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE);
    }

    private static SagaStoreException refused(String what) {
        return new SagaStoreException("SAGA-DB-901", what, SagaStoreException.Effect.NONE, null);
    }
}
