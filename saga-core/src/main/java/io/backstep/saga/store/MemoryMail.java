package io.backstep.saga.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The committed mail of the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemoryMail {
    /** What no two messages share. */
    record Key(UUID sagaId, String messageId) {
        static Key of(Mail mail) {
            return new Key(mail.sagaId(), mail.messageId());
        }
    }

    private final Map<UUID, Set<String>> known = new HashMap<>();
    private final Map<Key, Mail> fresh = new LinkedHashMap<>();
    private final Map<Key, Mail> kept = new LinkedHashMap<>();

    void add(Mail mail) {
        known.computeIfAbsent(mail.sagaId(), unused -> new HashSet<>()).add(mail.messageId());
        fresh.put(Key.of(mail), mail);
    }

    boolean knows(Key key) {
        return known.getOrDefault(key.sagaId(), Set.of()).contains(key.messageId());
    }

    void handled(UUID sagaId, List<String> messageIds) {
        messageIds.forEach(messageId -> {
            fresh.remove(new Key(sagaId, messageId));
            kept.remove(new Key(sagaId, messageId));
        });
    }

    void keep(UUID sagaId, List<String> messageIds) {
        messageIds.forEach(messageId -> {
            Mail mail = fresh.remove(new Key(sagaId, messageId));
            if (mail != null) {
                kept.put(Key.of(mail), mail);
            }
        });
    }

    List<Mail> fresh() {
        return new ArrayList<>(fresh.values());
    }

    /** What has not been merged: kept or new. */
    List<Mail> waiting(UUID sagaId) {
        Predicate<Mail> its = mail -> mail.sagaId().equals(sagaId);
        return Stream.concat(kept.values().stream(), fresh.values().stream())
                .filter(its)
                .toList();
    }

    void delete(UUID sagaId) {
        known.remove(sagaId);
        fresh.keySet().removeIf(key -> key.sagaId().equals(sagaId));
        kept.keySet().removeIf(key -> key.sagaId().equals(sagaId));
    }
}
