package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.Sweep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Messages that carry an answer, and are kept when they come too early; sagas that begin later. */
abstract class SignalCases extends OperatorRows {
    private final Lease mine = new Lease("node-" + UUID.randomUUID(), LONG);

    SignalCases(SagaStoreContract contract) {
        super(contract);
    }

    private static Mail signal(UUID id, String messageId) {
        return new Mail(id, messageId, Mail.Kind.SIGNAL, "", new Mail.Answer("pay", "{\"text\":\"ünïcödé \"}", null));
    }

    private void send(Mail mail) {
        assertThat(inTransaction(() -> store().post(mail))).isTrue();
    }

    private UUID held() {
        NewInstance saga = owned(mine);
        insert(saga);
        return saga.sagaId();
    }

    private List<Mail> sweep() {
        return StoreCases.<Sweep>answer(
                        callback -> store().sweepMail(mine.owner(), List.of(definition.definitionId()), callback))
                .mail();
    }

    private Outlook look() {
        return answer(callback -> store().look(mine.owner(), List.of(definition.definitionId()), callback));
    }

    private static Mutation merging(UUID id, long epoch, long seq, Hold hold, List<String> mail, List<String> kept) {
        return new Mutation(
                new Fence(id, epoch, seq), SagaStatus.RUNNING, null, null, hold, List.of(), List.of(), mail, kept);
    }

    private UUID withKept(String... messageIds) {
        UUID id = held();
        for (String messageId : messageIds) {
            send(signal(id, messageId));
        }
        assertThat(submit(merging(id, 1, 0, Hold.KEEP, List.of(), List.of(messageIds))))
                .isEqualTo(Acceptance.ACCEPTED);
        return id;
    }

    @Test
    void an_answer_comes_back_as_it_was_posted() {
        UUID id = held();
        Mail yes = signal(id, "m1");
        Mail nothing = new Mail(id, "m2", Mail.Kind.SIGNAL, "", new Mail.Answer("pay", null, null));
        Mail no = new Mail(id, "m3", Mail.Kind.SIGNAL, "the bank says no", new Mail.Answer("pay", null, "NO_MONEY"));
        send(yes);
        send(nothing);
        send(no);

        assertThat(inspected(id).mail()).containsExactly(yes, nothing, no);
        assertThat(sweep()).containsExactly(yes, nothing, no);
        assertThat(recover(id, 1).orElseThrow().mail()).containsExactly(yes, nothing, no);
    }

    @Test
    void what_is_kept_is_not_swept_again() {
        boolean others = look().mail();
        UUID id = withKept("m1", "m2");

        assertThat(look().mail()).isEqualTo(others);
        assertThat(sweep()).isEmpty();
        assertThat(store().isPosted(id, "m1")).isTrue();
        assertThat(inspected(id).mail()).containsExactly(signal(id, "m1"), signal(id, "m2"));
    }

    @Test
    void what_is_kept_comes_along_with_each_claim_and_makes_nobody_due() {
        UUID id = withKept("m1");
        submit(merging(id, 1, 1, Hold.release(LONG), List.of(), List.of()));
        InstanceRow before = row(id);
        sweep();
        assertThat(row(id)).isEqualTo(before);

        send(signal(id, "m2"));
        sweep();
        Claimed claimed = claimOne(id).orElseThrow();
        assertThat(claimed.mail()).containsExactly(signal(id, "m1"), signal(id, "m2"));
    }

    @Test
    void what_was_kept_and_is_merged_is_gone_and_still_known() {
        UUID id = withKept("m1", "m2");

        assertThat(submit(merging(id, 1, 1, Hold.KEEP, List.of("m2"), List.of())))
                .isEqualTo(Acceptance.ACCEPTED);

        assertThat(inspected(id).mail()).containsExactly(signal(id, "m1"));
        assertThat(post(id, "m2")).isFalse();
    }

    @Test
    void a_stale_write_keeps_nothing() {
        UUID id = held();
        send(signal(id, "m1"));

        assertThat(submit(merging(id, 1, 7, Hold.KEEP, List.of(), List.of("m1"))))
                .isEqualTo(Acceptance.STALE);

        assertThat(sweep()).containsExactly(signal(id, "m1"));
    }

    @Test
    void a_message_is_posted_once_its_sender_has_it_in_its_transaction() {
        UUID id = held();

        assertThat(store().isPosted(id, "m1")).isFalse();
        inTransaction(() -> {
            store().post(signal(id, "m1"));
            return assertThat(store().isPosted(id, "m1")).isTrue();
        });
        assertThat(store().isPosted(id, "m1")).isTrue();
        assertThat(store().isPosted(id, "M1")).isFalse();
        assertThat(store().isPosted(UUID.randomUUID(), "m1")).isFalse();
    }

    @Test
    void a_saga_that_is_nobodys_may_be_due_later() {
        NewInstance saga = unowned();
        NewInstance later = new NewInstance(
                saga.sagaId(),
                definition,
                null,
                HASH,
                SagaStatus.RUNNING,
                STEPS,
                "{}",
                1,
                LONG.multipliedBy(2),
                null,
                LONG,
                null);
        insert(later);

        InstanceRow row = row(saga.sagaId());
        assertThat(row.owner()).isNull();
        assertThat(row.epoch()).isZero();
        assertThat(Duration.between(row.createdAt(), row.dueAt())).isEqualTo(LONG);
        assertThat(Duration.between(row.createdAt(), row.deadline())).isEqualTo(LONG.multipliedBy(2));
        assertThat(claimOne(saga.sagaId())).isEmpty();
    }

    @Test
    void the_clock_is_the_one_that_writes_use() {
        Instant before = store().now();
        UUID id = held();
        Instant after = store().now();

        assertThat(row(id).createdAt()).isBetween(before, after);
        assertThat(inTransaction(() -> store().now())).isAfterOrEqualTo(after);
    }
}
