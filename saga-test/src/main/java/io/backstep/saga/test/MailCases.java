package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.SagaStoreException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages to sagas. */
abstract class MailCases extends OperatorRows {
    MailCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_message_is_new_until_it_is_merged() {
        UUID id = startedByA();

        assertThat(post(id, "m1")).isTrue();
        assertThat(inspected(id).mail()).containsExactly(mail(id, "m1"));

        assertThat(submit(merging(id, 1, 0, "m1"))).isEqualTo(Acceptance.ACCEPTED);
        assertThat(inspected(id).mail()).isEmpty();
    }

    @Test
    void a_message_changes_nothing_of_the_saga() {
        UUID id = startedByA();
        InstanceRow before = row(id);

        post(id, "m1");

        assertThat(row(id)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Mail.Kind.class)
    void a_message_comes_back_as_it_was_posted(Mail.Kind kind) {
        UUID id = startedByA();
        Mail mail = new Mail(id, "m1", kind, "why");

        inTransaction(() -> store().post(mail));

        assertThat(inspected(id).mail()).containsExactly(mail);
    }

    @Test
    void a_second_message_with_the_same_id_is_dropped_and_the_transaction_goes_on() {
        UUID id = startedByA();
        post(id, "m1");

        inTransaction(() -> {
            assertThat(store().post(new Mail(id, "m1", Mail.Kind.COMPENSATE, "again")))
                    .isFalse();
            assertThat(store().post(mail(id, "m2"))).isTrue();
            return store().post(mail(id, "m2"));
        });

        assertThat(inspected(id).mail()).containsExactly(mail(id, "m1"), mail(id, "m2"));
    }

    @Test
    void a_merged_message_is_known_all_the_same() {
        UUID id = startedByA();
        post(id, "m1");
        submit(merging(id, 1, 0, "m1"));

        assertThat(post(id, "m1")).isFalse();
        assertThat(inspected(id).mail()).isEmpty();
    }

    @Test
    void each_saga_has_messages_of_its_own() {
        UUID id = startedByA();
        UUID other = startedByA();

        assertThat(post(id, "m1")).isTrue();
        assertThat(post(other, "m1")).isTrue();
        submit(merging(id, 1, 0, "m1"));

        assertThat(inspected(other).mail()).containsExactly(mail(other, "m1"));
    }

    @Test
    void of_five_who_post_the_same_at_once_one_is_the_first() {
        UUID id = startedByA();

        assertThat(Together.run(5, number -> post(id, "m1"))).containsOnlyOnce(true);
        assertThat(inspected(id).mail()).hasSize(1);
    }

    @Test
    void two_who_wait_for_each_other_are_not_told_that_their_message_is_known() {
        UUID id = startedByA();
        CyclicBarrier both = new CyclicBarrier(2);

        List<String> told = Together.run(2, number -> crosswise(id, both, number));

        assertThat(told).doesNotContain("false").contains("transient");
        assertThat(inspected(id).mail()).hasSize(told.contains("true") ? 2 : 0);
    }

    private String crosswise(UUID id, CyclicBarrier both, int number) {
        try {
            return String.valueOf(contract.transactions().inTransaction(() -> {
                store().post(mail(id, "m" + number));
                both.await(60, TimeUnit.SECONDS);
                return store().post(mail(id, "m" + (1 - number)));
            }));
        } catch (Exception e) {
            return store().isTransient(e) ? "transient" : e.toString();
        }
    }

    @Test
    void a_message_that_was_rolled_back_never_was() {
        UUID id = startedByA();

        rolledBack(() -> store().post(mail(id, "m1")));

        assertThat(inspected(id).mail()).isEmpty();
        assertThat(post(id, "m1")).isTrue();
    }

    @Test
    void before_the_commit_only_the_sender_sees_a_message() {
        UUID id = startedByA();

        inTransaction(() -> {
            store().post(mail(id, "m1"));
            assertThat(inspected(id).mail()).hasSize(1);
            assertThat(elsewhere(() -> inspected(id).mail())).isEmpty();
            return "";
        });
    }

    @Test
    void posting_waits_for_nobody_who_has_the_saga_locked() {
        UUID id = startedByA();

        contract.withRowLocked(
                id, () -> assertThat(elsewhere(() -> post(id, "m1"))).isTrue());
    }

    @Test
    void posting_outside_a_transaction_is_refused() {
        UUID id = startedByA();

        assertThatThrownBy(() -> store().post(mail(id, "m1"))).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @MethodSource("io.backstep.saga.test.TextCases#impossible")
    void a_message_that_no_database_can_keep_is_refused_and_the_transaction_goes_on(String text) {
        UUID id = startedByA();

        inTransaction(() -> {
            assertThatThrownBy(() -> store().post(mail(id, text))).isInstanceOf(SagaStoreException.class);
            assertThatThrownBy(() -> store().post(mail(id, "m".repeat(201)))).isInstanceOf(SagaStoreException.class);
            return store().post(mail(id, "m1"));
        });

        assertThat(inspected(id).mail()).containsExactly(mail(id, "m1"));
    }

    @Test
    void odd_ids_are_told_apart() {
        UUID id = startedByA();
        List<String> odd = List.of("a", "A", "a ", " a", "\u00e4", "a\u0308", "%", "_", "'", "\\", "\u05d0\u202e");

        odd.forEach(messageId -> assertThat(post(id, messageId)).isTrue());

        assertThat(inspected(id).mail()).extracting(Mail::messageId).containsExactlyInAnyOrderElementsOf(odd);
    }

    // --- merging

    @Test
    void a_write_merges_what_it_names_and_no_more() {
        UUID id = startedByA();
        post(id, "m1");
        post(id, "m2");
        post(id, "m3");

        submit(merging(id, 1, 0, "m1", "m3", "unheard of"));

        assertThat(inspected(id).mail()).containsExactly(mail(id, "m2"));
    }

    @Test
    void a_stale_write_merges_nothing_and_its_neighbour_does() {
        UUID stale = startedByA();
        UUID fine = startedByA();
        post(stale, "m1");
        post(fine, "m1");

        assertThat(kindsOf(merging(stale, 1, 7, "m1"), merging(fine, 1, 0, "m1")))
                .containsExactly(Acceptance.Kind.STALE, Acceptance.Kind.ACCEPTED);

        assertThat(inspected(stale).mail()).hasSize(1);
        assertThat(inspected(fine).mail()).isEmpty();
    }

    @Test
    void a_write_that_finds_the_row_locked_merges_nothing() {
        UUID id = startedByA();
        post(id, "m1");

        contract.withRowLocked(
                id,
                () -> assertThat(elsewhere(() -> submit(merging(id, 1, 0, "m1"))))
                        .isEqualTo(Acceptance.LOCKED));

        assertThat(inspected(id).mail()).hasSize(1);
    }

    @Test
    void a_refused_write_merges_nothing() {
        UUID id = startedByA();
        post(id, "m1");

        assertThat(submit(merging(id, 1, 0, "m1", "impossible \u0000")).kind()).isEqualTo(Acceptance.Kind.REFUSED);

        assertThat(inspected(id).mail()).hasSize(1);
    }

    @Test
    void many_messages_are_merged_at_once() {
        UUID id = startedByA();
        String[] all = new String[20];
        for (int i = 0; i < all.length; i++) {
            all[i] = "m" + i;
            post(id, all[i]);
        }

        submit(merging(id, 1, 0, all));

        assertThat(inspected(id).mail()).isEmpty();
    }

    @Test
    void a_transactional_step_merges_with_its_record_or_not_at_all() {
        UUID id = startedByA();
        post(id, "m1");

        Answer<Acceptance> failed = Answer.of(callback -> store().inTransaction(
                        () -> {
                            throw new IOException("the step failed");
                        },
                        callback));
        assertThat(failed.failure()).isInstanceOf(IOException.class);
        assertThat(StoreCases.<Acceptance>answer(
                        callback -> store().inTransaction(() -> merging(id, 1, 5, "m1"), callback)))
                .isEqualTo(Acceptance.STALE);
        assertThat(inspected(id).mail()).hasSize(1);

        assertThat(StoreCases.<Acceptance>answer(
                        callback -> store().inTransaction(() -> merging(id, 1, 0, "m1"), callback)))
                .isEqualTo(Acceptance.ACCEPTED);
        assertThat(inspected(id).mail()).isEmpty();
    }
}
