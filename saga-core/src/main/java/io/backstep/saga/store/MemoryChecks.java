package io.backstep.saga.store;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the in-memory store refuses: as much as the strictest database does, so that nobody learns it there. */
final class MemoryChecks {
    private static final int LONGEST_KEY = 200;
    private static final int LONGEST_REASON = 500;
    private static final int LONGEST_ACTION = 40;

    private MemoryChecks() {}

    static Optional<SagaStoreException> refusal(NewInstance instance) {
        return tooLong("business key", instance.businessKey(), LONGEST_KEY)
                .or(() -> unreadable(
                        Stream.of(instance.businessKey(), instance.inputHash(), instance.steps(), instance.input())));
    }

    static Optional<SagaStoreException> refusal(Mail mail) {
        return tooLong("message id", mail.messageId(), LONGEST_KEY)
                .or(() -> tooLong("reason", mail.reason(), Mail.LONGEST_STORED_REASON))
                .or(() -> mail.answer() == null
                        ? Optional.empty()
                        : tooLong("code", mail.answer().code(), Mail.Answer.LONGEST_CODE))
                .or(() -> unreadable(Stream.concat(Stream.of(mail.messageId(), mail.reason()), texts(mail.answer()))));
    }

    static Optional<SagaStoreException> refusal(AuditEntry entry) {
        return tooLong("action", entry.action(), LONGEST_ACTION)
                .or(() -> tooLong("actor", entry.actor(), LONGEST_KEY))
                .or(() -> tooLong("reason", entry.reason(), LONGEST_REASON))
                .or(() -> tooLong("request key", entry.requestKey(), LONGEST_KEY))
                .or(() -> unreadable(Stream.of(
                        entry.action(),
                        entry.actor(),
                        entry.reason(),
                        entry.before(),
                        entry.after(),
                        entry.requestKey(),
                        entry.node())));
    }

    private static Optional<SagaStoreException> tooLong(String what, @Nullable String text, int longest) {
        return text == null || text.codePointCount(0, text.length()) <= longest
                ? Optional.empty()
                : Optional.of(refused("the " + what + " has more than " + longest + " characters"));
    }

    static Optional<SagaStoreException> refusal(Mutation mutation, InstanceRow after) {
        if (after.status().active() != (after.dueAt() != null)) {
            return Optional.of(refused("a saga that is " + after.status() + " would have "
                    + (after.dueAt() == null ? "no due time" : "a due time")));
        }
        return refusals(mutation).or(() -> unreadable(mutation));
    }

    /** Of what it brings for others. */
    private static Optional<SagaStoreException> refusals(Mutation mutation) {
        return Stream.concat(
                        mutation.children().stream().map(MemoryChecks::refusal),
                        mutation.posts().stream().map(MemoryChecks::refusal))
                .flatMap(Optional::stream)
                .findFirst();
    }

    static Optional<SagaStoreException> taken(List<NewInstance> children, MemoryTables tables) {
        return children.stream()
                .filter(child -> tables.find(child.sagaId()) != null)
                .findFirst()
                .map(child -> refused("there is a saga " + child.sagaId() + " already"));
    }

    private static Optional<SagaStoreException> unreadable(Mutation mutation) {
        return unreadable(Stream.of(
                        Stream.of(mutation.steps()),
                        mutation.history().stream().flatMap(MemoryChecks::texts),
                        mutation.compensations().stream().flatMap(MemoryChecks::texts),
                        mutation.mail().stream())
                .flatMap(texts -> texts));
    }

    private static Stream<@Nullable String> texts(Mail.@Nullable Answer answer) {
        return answer == null ? Stream.of() : Stream.of(answer.step(), answer.result(), answer.code());
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
