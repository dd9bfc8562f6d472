package io.backstep.saga.test;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random claims, recoveries and renewals on two stores. */
final class OwnerOperations {
    private static final int ALL = 100;

    private final Chance chance;
    private final Duel duel;

    /** Grows meanwhile. */
    private final List<UUID> ids;

    OwnerOperations(Chance chance, Duel duel, List<UUID> ids) {
        this.chance = chance;
        this.duel = duel;
        this.ids = ids;
    }

    private @Nullable InstanceRow row(UUID id) {
        return duel.row(id);
    }

    /** Few of one definition, in their order; or all. Which of several definitions comes first is not said. */
    void claim() {
        Lease lease = chance.lease();
        boolean few = chance.one(2) && noTwoAreDueTogether();
        int limit = few ? 1 + chance.below(3) : ALL;
        int only = few ? chance.below(duel.reference().definitions().size()) : -1;
        duel.tell(
                "claim " + limit + " for " + lease + (few ? " of definition " + only : ""),
                side -> Likeness.anyOrder(
                        side.<List<Claimed>>answer(told ->
                                side.store().claim(new ClaimRequest(lease, limit, side.definitionIds(only)), told)),
                        Likeness::claimed));
        duel.compareLists();
    }

    /** Else a store may choose among them. */
    private boolean noTwoAreDueTogether() {
        List<Instant> due = ids.stream()
                .map(this::row)
                .flatMap(row -> row == null ? Stream.empty() : Stream.ofNullable(row.dueAt()))
                .sorted()
                .toList();
        for (int i = 1; i < due.size(); i++) {
            if (Duration.between(due.get(i - 1), due.get(i)).compareTo(Likeness.STEP.dividedBy(2)) < 0) {
                return false;
            }
        }
        return true;
    }

    void claimOne(UUID id) {
        Lease lease = chance.lease();
        int only = chance.one(4) ? chance.below(duel.reference().definitions().size()) : -1;
        duel.tell(
                "claim of " + id + " for " + lease + " of definition " + only,
                side -> side.<Optional<Claimed>>answer(
                                told -> side.store().claimOne(id, lease, side.definitionIds(only), told))
                        .map(Likeness::claimed));
    }

    void recover(UUID id) {
        Lease lease = chance.lease();
        Held held = new Held(id, chance.fence(id, row(id)).epoch());
        duel.tell(
                "recover " + held + " for " + lease,
                side -> side.<Optional<Claimed>>answer(told -> side.store().recover(held, lease, told))
                        .map(Likeness::claimed));
    }

    void renew() {
        Lease lease = chance.lease();
        List<Held> held = ids.stream()
                .filter(id -> chance.one(2))
                .map(id -> new Held(id, chance.fence(id, row(id)).epoch()))
                .toList();
        duel.tell(
                "renew " + held + " for " + lease,
                side -> Likeness.anyOrder(
                        side.<Set<UUID>>answer(told -> side.store().renew(held, lease, told)), UUID::toString));
        duel.compareLists();
    }
}
