package io.backstep.saga.jdbc;

import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds text that some database would refuse or mangle: U+0000 and lone surrogates. All databases refuse the same. */
final class StorableText {
    private StorableText() {}

    static @Nullable IllegalArgumentException fault(Mutation mutation) {
        return fault(Stream.of(
                        Stream.of(text(mutation.steps())),
                        mutation.history().stream().flatMap(StorableText::texts),
                        mutation.compensations().stream().flatMap(StorableText::texts),
                        mutation.mail().stream())
                .flatMap(texts -> texts));
    }

    static @Nullable IllegalArgumentException fault(NewInstance row) {
        return fault(Stream.of(row.steps(), row.input(), text(row.businessKey()), row.inputHash()));
    }

    static @Nullable IllegalArgumentException fault(Mail mail) {
        return fault(Stream.of(mail.messageId(), mail.reason()));
    }

    static @Nullable IllegalArgumentException fault(AuditEntry entry) {
        return fault(Stream.of(
                entry.action(),
                entry.actor(),
                entry.reason(),
                entry.before(),
                entry.after(),
                text(entry.requestKey()),
                entry.node()));
    }

    /** Whether it can stand in a table at all; null can. */
    static boolean storable(@Nullable String text) {
        return fault(Stream.of(text(text))) == null;
    }

    private static Stream<String> texts(HistoryEntry line) {
        return Stream.of(line.step(), text(line.result()), text(line.errorCode()), text(line.errorText()), line.node());
    }

    private static Stream<String> texts(CompensationEntry entry) {
        return Stream.of(entry.step(), text(entry.request()), text(entry.response()), text(entry.lastError()));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static @Nullable IllegalArgumentException fault(Stream<String> texts) {
        boolean bad = texts.anyMatch(text -> text.codePoints()
                .anyMatch(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)));
        return bad ? new IllegalArgumentException("text with U+0000 or a lone surrogate cannot be stored") : null;
    }
}
