package io.backstep.saga.store;

import io.backstep.saga.SagaStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is committed in the in-memory store. Not safe for use by many threads: the store holds its lock. */
final class MemoryTables {
    private static final Comparator<InstanceRow> OLDEST_DUE_FIRST = Comparator.comparing(
                    (InstanceRow row) -> Objects.requireNonNull(row.dueAt()))
            .thenComparing(InstanceRow::sagaId);

    private static final Comparator<HistoryRow.Place> LATER =
            Comparator.comparingLong(HistoryRow.Place::seq).thenComparingInt(HistoryRow.Place::ordinal);

    private final Map<String, Map<Integer, RegisteredDefinition>> types = new LinkedHashMap<>();
    private final Map<UUID, InstanceRow> instances = new LinkedHashMap<>();
    private final Map<MemoryKey, UUID> keys = new HashMap<>();
    private final Map<UUID, List<HistoryRow>> history = new HashMap<>();
    private final Map<UUID, Map<String, CompensationRow>> compensations = new HashMap<>();
    final MemoryMail mail = new MemoryMail();
    final MemoryAudit audit = new MemoryAudit();
    private int definitions;

    RegisteredDefinition register(String name, int version, String fingerprint) {
        Map<Integer, RegisteredDefinition> versions = types.computeIfAbsent(name, unused -> new LinkedHashMap<>());
        RegisteredDefinition known = versions.get(version);
        if (known == null) {
            int type = versions.values().stream()
                    .findFirst()
                    .map(RegisteredDefinition::typeId)
                    .orElse(types.size());
            known = new RegisteredDefinition(++definitions, type, name, version, fingerprint);
            versions.put(version, known);
        }
        return known;
    }

    int typeId(String name) {
        return Objects.requireNonNull(types.get(name))
                .values()
                .iterator()
                .next()
                .typeId();
    }

    List<UnknownDefinition> unknown(List<Integer> known, int most) {
        return types.values().stream()
                .flatMap(versions -> versions.values().stream())
                .filter(definition -> !known.contains(definition.definitionId()))
                .map(definition -> new UnknownDefinition(
                        definition.name(), definition.version(), waiting(definition.definitionId(), most)))
                .filter(unknown -> unknown.sagas() > 0)
                .sorted(Comparator.comparing(UnknownDefinition::name).thenComparing(UnknownDefinition::version))
                .toList();
    }

    Map<Integer, Duration> oldest(List<Integer> definitionIds, int most, Instant now) {
        Map<Integer, Duration> ages = new HashMap<>();
        for (int id : definitionIds) {
            instances.values().stream()
                    .filter(row -> row.definitionId() == id && row.dueAt() != null)
                    .sorted(Comparator.comparing(InstanceRow::dueAt))
                    .limit(most)
                    .map(row -> Duration.between(row.createdAt(), now))
                    .max(Comparator.naturalOrder())
                    .ifPresent(age -> ages.put(id, age));
        }
        return ages;
    }

    private int waiting(int definitionId, int most) {
        return (int) instances.values().stream()
                .filter(row ->
                        row.definitionId() == definitionId && (row.status().active() || isToBeUndone(row)))
                .limit(most)
                .count();
    }

    private boolean isToBeUndone(InstanceRow row) {
        return row.status() == SagaStatus.COMPLETED
                && mail.waiting(row.sagaId()).stream().anyMatch(letter -> letter.kind() == Mail.Kind.UNDO);
    }

    void insert(InstanceRow row) {
        instances.put(row.sagaId(), row);
        if (row.businessKey() != null) {
            keys.put(new MemoryKey(row.name(), row.businessKey()), row.sagaId());
        }
    }

    void replace(InstanceRow row) {
        instances.put(row.sagaId(), row);
    }

    @Nullable
    InstanceRow find(UUID sagaId) {
        return instances.get(sagaId);
    }

    @Nullable
    InstanceRow find(MemoryKey key) {
        UUID sagaId = keys.get(key);
        return sagaId == null ? null : instances.get(sagaId);
    }

    Stream<InstanceRow> rows() {
        return instances.values().stream();
    }

    void delete(InstanceRow row) {
        instances.remove(row.sagaId());
        if (row.businessKey() != null) {
            keys.remove(new MemoryKey(row.name(), row.businessKey()));
        }
        history.remove(row.sagaId());
        compensations.remove(row.sagaId());
        mail.delete(row.sagaId());
    }

    /** Publishes what a transaction has written. */
    void publish(MemoryTransaction transaction) {
        transaction.rows.values().forEach(this::insert);
        transaction.effects.forEach(Runnable::run);
        transaction.mail.forEach(mail::add);
        transaction.audit.forEach(audit::add);
    }

    /** Notes what goes with a write of a row. */
    void record(InstanceRow written, Mutation mutation, Instant now) {
        UUID sagaId = written.sagaId();
        List<HistoryRow> lines = history.computeIfAbsent(sagaId, unused -> new ArrayList<>());
        int ordinal = 0;
        for (HistoryEntry entry : mutation.history()) {
            lines.add(MemoryRows.history(written.seq(), ordinal++, entry, now));
        }
        mutation.compensations().forEach(entry -> log(sagaId, entry, now));
        mail.handled(sagaId, mutation.mail());
        mail.keep(sagaId, mutation.kept());
        mutation.children().forEach(child -> insert(MemoryRows.inserted(child, now)));
        mutation.posts().stream()
                .filter(post -> !mail.knows(MemoryMail.Key.of(post)))
                .forEach(mail::add);
    }

    private void log(UUID sagaId, CompensationEntry entry, Instant now) {
        Map<String, CompensationRow> rows = compensations.computeIfAbsent(sagaId, unused -> new HashMap<>());
        CompensationRow before = rows.get(entry.step());
        rows.put(entry.step(), MemoryRows.compensation(entry, before, now));
    }

    List<HistoryRow> history(UUID sagaId) {
        return List.copyOf(history.getOrDefault(sagaId, List.of()));
    }

    List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return history(sagaId).stream()
                .filter(row -> after == null || LATER.compare(row.place(), after) > 0)
                .limit(limit)
                .toList();
    }

    List<CompensationRow> compensations(UUID sagaId) {
        return compensations.getOrDefault(sagaId, Map.of()).values().stream()
                .sorted(Comparator.comparingInt(row -> row.entry().position()))
                .toList();
    }

    List<Claimed> claim(ClaimRequest request, Instant now, Predicate<UUID> locked) {
        Map<Integer, Integer> turns = new HashMap<>();
        Map<Integer, List<InstanceRow>> rounds = new LinkedHashMap<>();
        instances.values().stream()
                .filter(row -> request.definitionIds().contains(row.definitionId()))
                .filter(row -> isDue(row, now) && !locked.test(row.sagaId()))
                .sorted(OLDEST_DUE_FIRST)
                .forEach(row -> rounds.computeIfAbsent(
                                turns.merge(row.definitionId(), 1, Integer::sum), unused -> new ArrayList<>())
                        .add(row));
        return rounds.values().stream()
                .flatMap(List::stream)
                .limit(request.limit())
                .map(row -> take(row, request.lease(), now, row.owner() != null))
                .toList();
    }

    Optional<Claimed> claimOne(UUID sagaId, Lease lease, List<Integer> definitionIds, Instant now) {
        return Optional.ofNullable(instances.get(sagaId))
                .filter(row -> isDue(row, now) && row.owner() == null && definitionIds.contains(row.definitionId()))
                .map(row -> take(row, lease, now, false));
    }

    Optional<Claimed> recover(Held held, Lease lease, Instant now) {
        return Optional.ofNullable(instances.get(held.sagaId()))
                .filter(row -> row.epoch() == held.epoch() && row.status().active())
                .map(row -> take(row, lease, now, false));
    }

    boolean renew(Held held, Lease lease, Instant now) {
        InstanceRow row = instances.get(held.sagaId());
        if (row == null
                || row.epoch() != held.epoch()
                || !lease.owner().equals(row.owner())
                || !row.status().active()) {
            return false;
        }
        replace(MemoryRows.renewed(row, lease, now));
        return true;
    }

    private static boolean isDue(InstanceRow row, Instant now) {
        Instant dueAt = row.dueAt();
        return row.status().active() && dueAt != null && !dueAt.isAfter(now);
    }

    private Claimed take(InstanceRow row, Lease lease, Instant now, boolean takenOver) {
        InstanceRow taken = MemoryRows.held(row, row.epoch() + 1, lease, now);
        replace(taken);
        Instant deadline = taken.deadline();
        return new Claimed(
                taken,
                takenOver,
                Duration.between(taken.createdAt(), now),
                deadline == null ? null : Duration.between(taken.createdAt(), deadline),
                results(taken.sagaId()),
                mail.waiting(taken.sagaId()));
    }

    private Map<String, String> results(UUID sagaId) {
        Map<String, String> results = new HashMap<>();
        for (HistoryRow row : history.getOrDefault(sagaId, List.of())) {
            HistoryEntry entry = row.entry();
            if (entry.completes() && entry.result() != null) {
                results.put(entry.step(), entry.result());
            }
        }
        return results;
    }
}
