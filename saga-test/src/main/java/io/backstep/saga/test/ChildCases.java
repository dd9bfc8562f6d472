package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Parent;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sagas that a saga starts with a write of its own, and what sagas tell each other with theirs. */
abstract class ChildCases extends OperatorRows {
    private static final Duration OLD = Duration.ofDays(1001);

    ChildCases(SagaStoreContract contract) {
        super(contract);
    }

    private NewInstance childOf(UUID parent) {
        return childOf(UUID.randomUUID(), parent, "{\"in\":1}");
    }

    private NewInstance childOf(UUID id, UUID parent, String input) {
        return new NewInstance(
                id,
                definition,
                null,
                HASH,
                SagaStatus.RUNNING,
                STEPS,
                input,
                1,
                Duration.ofHours(2),
                null,
                Duration.ZERO,
                new Parent(parent, "start", "out"));
    }

    private static Mutation starting(UUID parent, long epoch, long seq, NewInstance... children) {
        return new Mutation(
                new Fence(parent, epoch, seq),
                SagaStatus.RUNNING,
                null,
                null,
                Hold.KEEP,
                List.of(succeeded("a", null)),
                List.of(),
                List.of(),
                List.of(),
                List.of(children),
                List.of());
    }

    private static Mutation telling(UUID sagaId, long epoch, long seq, Mail... posts) {
        return new Mutation(
                new Fence(sagaId, epoch, seq),
                SagaStatus.COMPLETED,
                null,
                null,
                Hold.END,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(posts));
    }

    // --- starts

    @Test
    void a_child_is_there_with_the_write_that_starts_it_is_nobodys_and_due() {
        UUID parent = startedByA();
        NewInstance child = childOf(parent);

        assertThat(submit(starting(parent, 1, 0, child))).isEqualTo(Acceptance.ACCEPTED);

        InstanceRow row = row(child.sagaId());
        assertThat(row.parent()).isEqualTo(new Parent(parent, "start", "out"));
        assertThat(row.name()).isEqualTo(definition.name());
        assertThat(row.status()).isEqualTo(SagaStatus.RUNNING);
        assertThat(row.input()).isEqualTo("{\"in\":1}");
        assertThat(row.steps()).isEqualTo(STEPS);
        assertThat(row.epoch()).isZero();
        assertThat(row.owner()).isNull();
        assertThat(row.deadline()).isEqualTo(row.createdAt().plus(Duration.ofHours(2)));
        assertThat(row(parent).parent()).isNull();
        assertThat(claimOne(child.sagaId()).orElseThrow().row().parent()).isEqualTo(new Parent(parent, "start", "out"));
    }

    @Test
    void a_child_may_have_no_output() {
        UUID parent = startedByA();
        NewInstance of = childOf(parent);
        NewInstance child = new NewInstance(
                of.sagaId(),
                of.definition(),
                null,
                of.inputHash(),
                of.status(),
                of.steps(),
                of.input(),
                1,
                null,
                null,
                Duration.ZERO,
                new Parent(parent, "start", null));

        submit(starting(parent, 1, 0, child));

        assertThat(row(child.sagaId()).parent()).isEqualTo(new Parent(parent, "start", null));
        assertThat(row(child.sagaId()).deadline()).isNull();
    }

    @Test
    void a_stale_write_starts_no_child() {
        UUID parent = startedByA();
        NewInstance child = childOf(parent);

        assertThat(submit(starting(parent, 1, 7, child))).isEqualTo(Acceptance.STALE);
        assertThat(submit(starting(parent, 2, 0, child))).isEqualTo(Acceptance.STALE);

        assertThat(store().find(child.sagaId())).isEmpty();
    }

    @Test
    void each_write_of_a_batch_starts_its_own_children_or_none() {
        UUID first = startedByA();
        UUID stale = startedByA();
        UUID second = startedByA();
        NewInstance one = childOf(first);
        NewInstance two = childOf(first);
        NewInstance none = childOf(stale);
        NewInstance three = childOf(second);

        assertThat(kindsOf(
                        starting(first, 1, 0, one, two),
                        starting(stale, 1, 9, none),
                        starting(second, 1, 0, three),
                        write(startedByA(), 1, 0)))
                .containsExactly(
                        Acceptance.Kind.ACCEPTED,
                        Acceptance.Kind.STALE,
                        Acceptance.Kind.ACCEPTED,
                        Acceptance.Kind.ACCEPTED);

        assertThat(List.of(one, two, three))
                .allSatisfy(child -> assertThat(store().find(child.sagaId())).isPresent());
        assertThat(store().find(none.sagaId())).isEmpty();
    }

    @Test
    void many_children_start_with_one_write_and_with_other_starts() {
        UUID parent = startedByA();
        NewInstance[] children =
                IntStream.range(0, 12).mapToObj(unused -> childOf(parent)).toArray(NewInstance[]::new);
        NewInstance other = unowned();

        assertThat(write(List.of(starting(parent, 1, 0, children)), List.of(other))
                        .starts())
                .containsExactly(InsertResult.INSERTED);

        assertThat(children)
                .allSatisfy(child -> assertThat(row(child.sagaId()).parent()).isNotNull());
        assertThat(row(other.sagaId()).parent()).isNull();
    }

    @Test
    void a_write_whose_child_has_the_id_of_another_saga_is_refused_and_harms_no_other() {
        UUID taken = due();
        UUID parent = startedByA();
        UUID other = startedByA();
        NewInstance fine = childOf(parent);

        assertThat(kindsOf(
                        starting(parent, 1, 0, fine, childOf(taken, parent, "{}")),
                        starting(other, 1, 0, childOf(other))))
                .containsExactly(Acceptance.Kind.REFUSED, Acceptance.Kind.ACCEPTED);

        assertThat(row(taken).parent()).isNull();
        assertThat(row(parent).seq()).isZero();
        assertThat(store().history(parent)).isEmpty();
        assertThat(store().find(fine.sagaId())).isEmpty();
    }

    @Test
    void a_write_whose_child_no_database_could_keep_is_refused() {
        UUID parent = startedByA();

        assertThat(submit(starting(parent, 1, 0, childOf(UUID.randomUUID(), parent, "\"\u0000\"")))
                        .kind())
                .isEqualTo(Acceptance.Kind.REFUSED);

        assertThat(row(parent).seq()).isZero();
    }

    @Test
    void a_transactional_step_starts_a_child_with_its_record_or_not_at_all() {
        UUID parent = startedByA();
        NewInstance child = childOf(parent);

        Answer<Acceptance> failed = Answer.of(callback -> store().inTransaction(
                        () -> {
                            throw new IOException("the step failed");
                        },
                        callback));
        assertThat(failed.failure()).isInstanceOf(IOException.class);
        assertThat(StoreCases.<Acceptance>answer(
                        callback -> store().inTransaction(() -> starting(parent, 1, 5, child), callback)))
                .isEqualTo(Acceptance.STALE);
        assertThat(store().find(child.sagaId())).isEmpty();

        assertThat(StoreCases.<Acceptance>answer(
                        callback -> store().inTransaction(() -> starting(parent, 1, 0, child), callback)))
                .isEqualTo(Acceptance.ACCEPTED);
        assertThat(store().find(child.sagaId())).isPresent();
    }

    // --- posts

    @Test
    void a_write_tells_other_sagas_or_is_stale_and_tells_nobody() {
        UUID parent = written(SagaStatus.RUNNING);
        UUID child = startedByA();

        assertThat(submit(telling(child, 1, 3, mail(parent, "stale")))).isEqualTo(Acceptance.STALE);
        assertThat(inspected(parent).mail()).isEmpty();

        assertThat(submit(telling(child, 1, 0, mail(parent, "m1"), mail(child, "m2"))))
                .isEqualTo(Acceptance.ACCEPTED);
        assertThat(inspected(parent).mail()).containsExactly(mail(parent, "m1"));
        assertThat(inspected(child).mail()).containsExactly(mail(child, "m2"));
    }

    @Test
    void a_message_whose_id_is_known_is_dropped_and_the_write_stands() {
        UUID parent = written(SagaStatus.RUNNING);
        UUID child = startedByA();
        post(parent, "m1");

        assertThat(submit(telling(child, 1, 0, new Mail(parent, "m1", Mail.Kind.COMPENSATE, "another"))))
                .isEqualTo(Acceptance.ACCEPTED);

        assertThat(inspected(parent).mail()).containsExactly(mail(parent, "m1"));
        assertThat(row(child).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void sagas_of_one_batch_may_tell_each_other() {
        UUID one = startedByA();
        UUID other = startedByA();

        submitAll(telling(one, 1, 0, mail(other, "from one")), telling(other, 1, 0, mail(one, "from other")));

        assertThat(inspected(one).mail()).containsExactly(mail(one, "from other"));
        assertThat(inspected(other).mail()).containsExactly(mail(other, "from one"));
    }

    @Test
    void an_operators_write_tells_other_sagas_when_it_commits() {
        UUID child = written(SagaStatus.RUNNING);
        UUID parent = startedByA();
        Mutation mutation = telling(child, 1, 1, mail(parent, "m1"));

        rolledBack(() -> store().operate(new OperatorWrite(mutation, false, false)));
        assertThat(inspected(parent).mail()).isEmpty();
        assertThat(operate(new OperatorWrite(telling(child, 1, 5, mail(parent, "stale")), false, false)))
                .isEqualTo(Operated.STALE);
        assertThat(inspected(parent).mail()).isEmpty();

        assertThat(operate(new OperatorWrite(mutation, false, false))).isEqualTo(Operated.DONE);
        assertThat(inspected(parent).mail()).containsExactly(mail(parent, "m1"));
    }

    // --- retention

    private void purge() {
        UUID after = null;
        do {
            Purged purged = store().purge(new PurgeRequest(
                    Map.of(SagaStatus.COMPLETED, Duration.ofDays(1000), SagaStatus.COMPENSATED, Duration.ofDays(1000)),
                    Set.of(definition.typeId()),
                    after,
                    500));
            after = purged.last();
        } while (after != null);
    }

    private UUID child(UUID parent) {
        NewInstance child = childOf(parent);
        submit(starting(parent, row(parent).epoch(), row(parent).seq(), child));
        claimOne(child.sagaId());
        return child.sagaId();
    }

    private void endedLongAgo(UUID id, SagaStatus status) {
        assertThat(submit(write(id, row(id).epoch(), row(id).seq(), status, Hold.END)))
                .isEqualTo(Acceptance.ACCEPTED);
        contract.age(id, OLD);
    }

    @Test
    void a_child_and_its_children_are_kept_until_their_root_is_gone() {
        UUID root = startedByA();
        UUID other = startedByA();
        UUID child = child(root);
        UUID grandchild = child(child);
        UUID others = child(other);
        List.of(grandchild, child, others, other).forEach(id -> endedLongAgo(id, SagaStatus.COMPLETED));

        IntStream.range(0, 3).forEach(unused -> purge());

        assertThat(List.of(child, grandchild)).allMatch(id -> store().find(id).isPresent());
        assertThat(List.of(other, others)).allMatch(id -> store().find(id).isEmpty());

        endedLongAgo(root, SagaStatus.COMPENSATED);
        IntStream.range(0, 3).forEach(unused -> purge());

        assertThat(List.of(root, child, grandchild))
                .allMatch(id -> store().find(id).isEmpty());
    }
}
