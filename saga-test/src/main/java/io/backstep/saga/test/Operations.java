package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Parent;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random operations on two stores, drawn from what the reference holds. */
final class Operations {
    private final Chance chance;
    private final Duel duel;
    private final List<UUID> ids = new ArrayList<>();
    private final OwnerOperations owners;
    private final OtherOperations others;
    private @Nullable Mutation last;

    Operations(Chance chance, Duel duel) {
        this.chance = chance;
        this.duel = duel;
        this.owners = new OwnerOperations(chance, duel, ids);
        this.others = new OtherOperations(chance, duel, ids);
        ids.add(chance.id()); // never inserted by itself
    }

    List<UUID> ids() {
        return ids;
    }

    void next() {
        UUID id = chance.of(ids);
        switch (chance.below(20)) {
            case 0, 1 -> insert();
            case 2 -> insertJoined();
            case 3, 4 -> submit(id);
            case 5 -> flush(id);
            case 6 -> submitAgain();
            case 7 -> work(id);
            case 8, 9 -> owners.claim();
            case 10 -> owners.claimOne(id);
            case 11 -> owners.recover(id);
            case 12 -> owners.renew();
            case 13 -> post(id);
            case 14 -> sweep();
            case 15 -> operate(id);
            case 16 -> audit(id);
            case 17 -> others.read(id);
            case 18 -> others.pass(id);
            default -> others.purge();
        }
        duel.compare(List.of(id));
    }

    private @Nullable InstanceRow row(UUID id) {
        return duel.row(id);
    }

    // --- starts

    /** Of one batch no two have the same id, or the same key: who of them comes first is not said. */
    private void insert() {
        List<Function<Side, NewInstance>> batch = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        StringBuilder what = new StringBuilder("insert");
        for (int i = chance.below(3); i >= 0; i--) {
            String key = chance.key();
            if (key == null || keys.add(key)) {
                batch.add(instance(key, chance.one(3) ? null : chance.lease(), what));
            }
        }
        duel.tell(
                what.toString(),
                side -> Likeness.all(
                        side.<List<InsertResult>>answer(told -> side.store()
                                .insert(
                                        batch.stream()
                                                .map(one -> one.apply(side))
                                                .toList(),
                                        told)),
                        Likeness::inserted));
    }

    private Function<Side, NewInstance> instance(@Nullable String key, @Nullable Lease lease, StringBuilder what) {
        UUID id = chance.id();
        ids.add(id);
        int definition = chance.below(duel.reference().definitions().size());
        SagaStatus status = chance.one(10) ? SagaStatus.COMPLETED : SagaStatus.RUNNING;
        Duration deadline = chance.one(2) ? null : chance.hours(5);
        String hash = chance.hash();
        Parent parent = chance.one(3) ? new Parent(chance.of(ids), "b", chance.one(2) ? "a" : null) : null;
        what.append(" ")
                .append(id)
                .append(" key ")
                .append(key)
                .append(" lease ")
                .append(lease)
                .append(" for ")
                .append(parent);
        return side -> new NewInstance(
                id,
                side.definitions().get(definition),
                key,
                hash,
                status,
                "{\"a\":[]}",
                "{\"in\": 1}",
                1,
                deadline,
                lease,
                Duration.ZERO,
                parent);
    }

    private void insertJoined() {
        StringBuilder what = new StringBuilder("joined insert");
        Function<Side, NewInstance> one = instance(chance.key(), null, what);
        Function<Side, NewInstance> two = instance(chance.key(), null, what);
        boolean committed = !chance.one(3);
        UUID seen = ids.get(ids.size() - 1);
        duel.tell(
                what + (committed ? "" : " rolled back"),
                side -> side.within(
                        committed,
                        () -> List.of(
                                Likeness.inserted(side.store().insertJoined(one.apply(side))),
                                Likeness.inserted(side.store().insertJoined(two.apply(side))),
                                Likeness.row(side.store().find(seen).orElse(null)))));
    }

    // --- writes

    private void submit(UUID id) {
        List<Mutation> batch = batch(id);
        submit(batch);
        compare(batch);
    }

    /** With starts, whose ids are new. */
    private void flush(UUID id) {
        List<Mutation> batch = batch(id);
        StringBuilder what = new StringBuilder("write " + batch + " and");
        List<Function<Side, NewInstance>> starts = new ArrayList<>();
        for (int i = chance.below(3); i >= 0; i--) {
            starts.add(instance(null, chance.one(3) ? null : chance.lease(), what));
        }
        duel.tell(what.toString(), side -> {
            List<NewInstance> instances =
                    starts.stream().map(one -> one.apply(side)).toList();
            Written written = side.answer(told -> side.store().write(batch, instances, told));
            return List.of(
                    Likeness.all(written.progress(), answer -> answer.kind().name()),
                    Likeness.all(written.starts(), Likeness::inserted));
        });
        compare(batch);
    }

    private void compare(List<Mutation> batch) {
        duel.compare(batch.stream().map(write -> write.fence().sagaId()).toList());
    }

    private List<Mutation> batch(UUID id) {
        List<Mutation> batch = new ArrayList<>();
        for (UUID one : List.of(id, chance.id())) {
            batch.add(chance.mutation(one, row(one), false));
        }
        UUID third = chance.of(ids);
        if (!third.equals(id)) {
            batch.add(chance.mutation(third, row(third), false));
        }
        last = batch.get(0);
        return batch;
    }

    /** What was written is stale now. */
    private void submitAgain() {
        if (last != null) {
            submit(List.of(last));
        }
    }

    private void submit(List<Mutation> batch) {
        duel.tell(
                "submit " + batch,
                side -> Likeness.all(
                        side.<List<Acceptance>>answer(told -> side.store().submit(batch, told)),
                        answer -> answer.kind().name()));
    }

    private void work(UUID id) {
        Mutation mutation = chance.mutation(id, row(id), false);
        boolean fails = chance.one(5);
        StringBuilder what = new StringBuilder(fails ? "failing work" : "work").append(mutation);
        Function<Side, NewInstance> effect = instance(chance.key(), null, what);
        duel.tell(what.toString(), side -> {
            Answer<Acceptance> answer = Answer.of(told -> side.store()
                    .inTransaction(
                            () -> {
                                side.store().insertJoined(effect.apply(side));
                                if (fails) {
                                    throw new IllegalStateException("of the work");
                                }
                                return mutation;
                            },
                            told));
            Acceptance accepted = answer.answer();
            return accepted == null ? String.valueOf(answer.failure()) : accepted.kind();
        });
        duel.compare(List.of(ids.get(ids.size() - 1)));
    }

    // --- mail, operators, audit

    private void post(UUID id) {
        Mail one = chance.mail(id);
        Mail two = chance.mail(id);
        boolean committed = !chance.one(4);
        duel.tell(
                "post " + one + two + (committed ? "" : " rolled back"),
                side -> side.within(
                        committed,
                        () -> List.of(
                                side.store().post(one),
                                side.store().post(two),
                                side.store().inspect(id).isPresent())));
    }

    private void sweep() {
        String owner = chance.lease().owner();
        int known = chance.below(duel.reference().definitions().size() + 1) - 1;
        duel.tell(
                "sweep for " + owner + " who knows " + known,
                side -> ours(
                        side.<Sweep>answer(told -> side.store().sweepMail(owner, side.definitionIds(known), told))));
        duel.compareLists();
    }

    /** Others have sagas in the same tables. */
    private List<Mail> ours(Sweep found) {
        return Stream.concat(found.mail().stream(), found.putAside().stream().map(Sweep.PutAside::mail))
                .filter(mail -> ids.contains(mail.sagaId()))
                .toList();
    }

    private void operate(UUID id) {
        OperatorWrite write = new OperatorWrite(chance.mutation(id, row(id), true), chance.one(3), chance.one(2));
        boolean committed = !chance.one(4);
        duel.tell(
                "operate " + write + (committed ? "" : " rolled back"),
                side -> side.within(
                        committed,
                        () -> side.store().operate(write) + " "
                                + Likeness.row(side.store().find(id).orElse(null))));
    }

    private void audit(UUID id) {
        AuditEntry one = chance.entry(id);
        AuditEntry two = chance.entry(id);
        boolean committed = !chance.one(4);
        duel.tell(
                "audit " + one + two + (committed ? "" : " rolled back"),
                side -> side.within(
                        committed,
                        () -> List.of(side.store().audit(one), side.store().audit(two))));
    }
}
