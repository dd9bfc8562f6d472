package io.backstep.saga.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An open transaction of the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemoryTransaction {
    final @Nullable MemoryTransaction outer;
    final boolean readOnly;
    /** Inserted or written. */
    final Map<UUID, InstanceRow> rows = new LinkedHashMap<>();

    final List<Mail> mail = new ArrayList<>();
    final List<AuditRow> audit = new ArrayList<>();
    /** What else happens in the tables when it commits. */
    final List<Runnable> effects = new ArrayList<>();

    final List<Runnable> afterCommit = new ArrayList<>();
    final List<Runnable> afterRollback = new ArrayList<>();
    private @Nullable MemoryTransaction waitsFor;

    MemoryTransaction(@Nullable MemoryTransaction outer, boolean readOnly) {
        this.outer = outer;
        this.readOnly = readOnly;
        if (outer != null) {
            outer.waitsFor = this;
        }
    }

    @Nullable
    InstanceRow find(MemoryKey key) {
        return rows.values().stream()
                .filter(row ->
                        key.name().equals(row.name()) && key.businessKey().equals(row.businessKey()))
                .findFirst()
                .orElse(null);
    }

    /** Notes that it waits; false when it would wait for ever. */
    boolean mayWaitFor(MemoryTransaction holder) {
        for (MemoryTransaction next = holder; next != null; next = next.waitsFor) {
            if (next == this) {
                return false;
            }
        }
        waitsFor = holder;
        return true;
    }

    void waitsNoMore() {
        waitsFor = null;
    }
}
