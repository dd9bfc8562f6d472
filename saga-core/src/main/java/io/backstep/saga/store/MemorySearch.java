package io.backstep.saga.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What goes through all rows of the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemorySearch {
    /** Byte by byte, as databases compare ids. */
    private static final Comparator<UUID> BYTES = Comparator.comparing(
                    UUID::getMostSignificantBits, Long::compareUnsigned)
            .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

    private final MemoryTables tables;
    private final Predicate<UUID> locked;

    MemorySearch(MemoryTables tables, Predicate<UUID> locked) {
        this.tables = tables;
        this.locked = locked;
    }

    Outlook look(String owner, List<Integer> definitionIds, Instant now) {
        Instant first = tables.rows()
                .filter(row -> row.status().active() && definitionIds.contains(row.definitionId()))
                .flatMap(row -> Stream.ofNullable(row.dueAt()))
                .min(Comparator.naturalOrder())
                .orElse(null);
        Duration untilDue = first == null ? null : first.isAfter(now) ? Duration.between(now, first) : Duration.ZERO;
        return new Outlook(
                untilDue, tables.mail.fresh().stream().anyMatch(mail -> isForSweep(mail, owner, definitionIds, now)));
    }

    private boolean isForSweep(Mail mail, String owner, List<Integer> definitionIds, Instant now) {
        InstanceRow row = tables.find(mail.sagaId());
        if (row == null || row.status().ended()) {
            return row == null || !mail.kind().isFor(row.status()) || definitionIds.contains(row.definitionId());
        }
        Instant dueAt = row.dueAt();
        boolean waits = row.owner() == null && dueAt != null && dueAt.isAfter(now);
        return row.status().active() && (waits || owner.equals(row.owner()));
    }

    Sweep sweep(String owner, List<Integer> definitionIds, Instant now) {
        List<Mail> held = new ArrayList<>();
        List<Sweep.PutAside> putAside = new ArrayList<>();
        for (Mail mail : tables.mail.fresh()) {
            InstanceRow row = tables.find(mail.sagaId());
            if (row == null || !mail.kind().isFor(row.status())) {
                tables.mail.handled(mail.sagaId(), List.of(mail.messageId()));
                putAside.add(new Sweep.PutAside(mail, row == null ? null : row.definitionId()));
            } else if (row.status().ended()) {
                if (definitionIds.contains(row.definitionId())) {
                    held.add(mail);
                }
            } else if (row.status().active() && owner.equals(row.owner())) {
                held.add(mail);
            } else if (row.status().active() && row.owner() == null && !locked.test(row.sagaId())) {
                hasten(row, now);
            }
        }
        return new Sweep(held, putAside);
    }

    private void hasten(InstanceRow row, Instant now) {
        Instant dueAt = row.dueAt();
        if (dueAt != null && dueAt.isAfter(now)) {
            tables.replace(MemoryRows.due(row, now));
        }
    }

    List<InstanceSummary> list(@Nullable MemoryTransaction transaction, ListQuery query) {
        Map<UUID, InstanceRow> own = transaction == null ? Map.of() : transaction.rows;
        return Stream.concat(tables.rows().filter(row -> !own.containsKey(row.sagaId())), own.values().stream())
                .filter(row -> matches(row, query))
                .sorted(Comparator.comparing(InstanceRow::sagaId, BYTES).reversed())
                .limit(query.limit())
                .map(MemoryRows::summary)
                .toList();
    }

    private static boolean matches(InstanceRow row, ListQuery query) {
        return (query.status() == null || query.status() == row.status())
                && (query.name() == null || query.name().equals(row.name()))
                && (query.businessKey() == null || query.businessKey().equals(row.businessKey()))
                && (query.step() == null || query.stepMarks().stream().anyMatch(row.steps()::contains))
                && (query.from() == null || !row.createdAt().isBefore(query.from()))
                && (query.to() == null || row.createdAt().isBefore(query.to()))
                && (query.ids() == null || query.ids().contains(row.sagaId()))
                && (query.before() == null || BYTES.compare(row.sagaId(), query.before()) < 0);
    }

    Purged purge(PurgeRequest request, Instant now) {
        List<InstanceRow> slice = tables.rows()
                .filter(row -> request.after() == null || BYTES.compare(row.sagaId(), request.after()) > 0)
                .sorted(Comparator.comparing(InstanceRow::sagaId, BYTES))
                .limit(request.limit())
                .toList();
        List<InstanceRow> old = slice.stream()
                .filter(row -> isOld(row, request, now) && !locked.test(row.sagaId()) && !isKept(row.parent()))
                .toList();
        old.forEach(tables::delete);
        boolean more = slice.size() == request.limit();
        return new Purged(old.size(), more ? slice.get(slice.size() - 1).sagaId() : null);
    }

    /** A child is kept for its parent, and so for the root. */
    private boolean isKept(@Nullable Parent parent) {
        return parent != null && tables.find(parent.sagaId()) != null;
    }

    private boolean isOld(InstanceRow row, PurgeRequest request, Instant now) {
        Duration kept = request.ages().get(row.status());
        return kept != null
                && request.typeIds().contains(tables.typeId(row.name()))
                && Duration.between(row.updatedAt(), now).compareTo(kept) >= 0;
    }
}
