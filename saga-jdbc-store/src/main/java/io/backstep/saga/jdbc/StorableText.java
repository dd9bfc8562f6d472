package io.backstep.saga.jdbc;

import io.backstep.saga.serialization.Json;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import org.jspecify.annotations.Nullable;

/** Finds text that some database would refuse or mangle: U+0000 and lone surrogates. All databases refuse the same. */
final class StorableText {
    private StorableText() {}

    static @Nullable IllegalArgumentException fault(Mutation mutation) {
        return unless(storable(mutation.steps())
                && mutation.history().stream().allMatch(StorableText::storable)
                && mutation.compensations().stream().allMatch(StorableText::storable)
                && mutation.mail().stream().allMatch(StorableText::storable)
                && mutation.kept().stream().allMatch(StorableText::storable)
                && mutation.posts().stream().allMatch(post -> fault(post) == null)
                && mutation.children().stream().allMatch(child -> fault(child) == null));
    }

    static @Nullable IllegalArgumentException fault(NewInstance row) {
        return unless(storable(row.steps(), row.input(), row.businessKey(), row.inputHash()));
    }

    static @Nullable IllegalArgumentException fault(Mail mail) {
        Mail.Answer answer = mail.answer();
        return unless(storable(mail.messageId(), mail.reason())
                && (answer == null || storable(answer.step(), answer.result(), answer.code())));
    }

    static @Nullable IllegalArgumentException fault(AuditEntry entry) {
        return unless(storable(
                entry.action(),
                entry.actor(),
                entry.reason(),
                entry.before(),
                entry.after(),
                entry.requestKey(),
                entry.node()));
    }

    private static boolean storable(HistoryEntry line) {
        return storable(line.step(), line.result(), line.errorCode(), line.errorText(), line.node());
    }

    private static boolean storable(CompensationEntry entry) {
        return storable(entry.step(), entry.request(), entry.response(), entry.lastError());
    }

    private static boolean storable(@Nullable String... texts) {
        for (String text : texts) {
            if (!storable(text)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it can stand in a table at all; null can. */
    static boolean storable(@Nullable String text) {
        return text == null || Json.isStorable(text);
    }

    private static @Nullable IllegalArgumentException unless(boolean storable) {
        return storable ? null : new IllegalArgumentException("text with U+0000 or a lone surrogate cannot be stored");
    }
}
