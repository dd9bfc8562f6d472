package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Random reads on two stores, and what time does to them. */
final class OtherOperations {
    private static final Duration OLD = Duration.ofDays(1001);
    private static final Duration KEPT = Duration.ofDays(1000);

    private final Chance chance;
    private final Duel duel;

    /** Grows meanwhile. */
    private final List<UUID> ids;

    OtherOperations(Chance chance, Duel duel, List<UUID> ids) {
        this.chance = chance;
        this.duel = duel;
        this.ids = ids;
    }

    private @Nullable InstanceRow row(UUID id) {
        return duel.row(id);
    }

    void read(UUID id) {
        HistoryRow.Place after = chance.one(3) ? null : new HistoryRow.Place(chance.below(4), chance.below(2));
        duel.tell(
                "read " + id + " history after " + after,
                side -> side.store().inspect(id).map(Likeness::inspected) + " "
                        + side.store().history(id, after, 2).stream()
                                .map(HistoryRow::place)
                                .toList());
        InstanceRow row = row(id);
        ListQuery query = new ListQuery(
                chance.one(2) ? chance.of(List.of(SagaStatus.values())) : null,
                chance.of(duel.reference().definitions()).name(),
                chance.one(3) ? chance.key() : null,
                chance.one(3) ? chance.step() : null,
                null,
                null,
                row == null || chance.one(2) ? null : id,
                1 + chance.below(5));
        duel.tell("list " + query, side -> Likeness.all(side.store().list(query), Likeness::summary));
        AuditQuery audit = new AuditQuery(id, chance.one(2) ? "request-" + chance.below(3) : null, null, 2);
        duel.tell("audit of " + id, side -> Likeness.all(side.store().audit(audit), Likeness::audit));
    }

    /** Each saga by another step: so they are due one after the other, and no answer depends on how fast a store is. */
    void pass(UUID id) {
        Duration time = row(id) != null && chance.one(6) ? OLD : Chance.HOUR.multipliedBy(1 + chance.below(3));
        List<UUID> older = time.equals(OLD) ? List.of(id) : ids;
        duel.tell("time passes: " + time + " for " + older, side -> {
            Duration more = Duration.ZERO;
            for (UUID one : older) {
                if (side.store().find(one).isPresent()) {
                    side.age().accept(one, time.plus(more));
                    more = more.plus(Likeness.STEP);
                }
            }
            return "";
        });
    }

    void purge() {
        Map<SagaStatus, Duration> ages = Map.of(SagaStatus.COMPLETED, KEPT, SagaStatus.COMPENSATED, KEPT);
        int known = 1 + chance.below(3);
        duel.tell("purge what is of the first " + known + " definitions", side -> {
            Set<Integer> types = side.definitions().stream()
                    .limit(known)
                    .map(RegisteredDefinition::typeId)
                    .collect(Collectors.toSet());
            UUID after = null;
            do {
                Purged purged = side.store().purge(new PurgeRequest(ages, types, after, 500));
                after = purged.last();
            } while (after != null);
            return "";
        });
        duel.compareLists();
    }
}
