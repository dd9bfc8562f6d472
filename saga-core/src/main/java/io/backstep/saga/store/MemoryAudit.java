package io.backstep.saga.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The committed audit of the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemoryAudit {
    /** What no two rows share. */
    record Key(UUID sagaId, String requestKey) {
        static @Nullable Key of(AuditEntry entry) {
            String requestKey = entry.requestKey();
            return requestKey == null ? null : new Key(entry.sagaId(), requestKey);
        }
    }

    private final List<AuditRow> rows = new ArrayList<>();
    private final Set<Key> keys = new HashSet<>();
    private long lastId;

    long nextId() {
        return ++lastId;
    }

    void add(AuditRow row) {
        rows.add(row);
        Key key = Key.of(row.entry());
        if (key != null) {
            keys.add(key);
        }
    }

    boolean knows(Key key) {
        return keys.contains(key);
    }

    List<AuditRow> find(AuditQuery query, List<AuditRow> uncommitted) {
        return Stream.concat(rows.stream(), uncommitted.stream())
                .filter(row -> query.sagaId() == null
                        || query.sagaId().equals(row.entry().sagaId()))
                .filter(row -> query.requestKey() == null
                        || query.requestKey().equals(row.entry().requestKey()))
                .filter(row -> query.before() == null || row.id() < query.before())
                .sorted(Comparator.comparingLong(AuditRow::id).reversed())
                .limit(query.limit())
                .toList();
    }
}
