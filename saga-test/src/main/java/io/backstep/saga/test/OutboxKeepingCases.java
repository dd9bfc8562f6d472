package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMessage;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is kept for how long, and what is seen of it. */
abstract class OutboxKeepingCases extends OutboxFixture {
    private static final Duration DAY = Duration.ofDays(1);

    OutboxKeepingCases(OutboxContract contract) {
        super(contract);
    }

    @Test // F149
    void only_what_was_sent_long_ago_is_deleted() {
        UUID old = publish(message("1", "old")).get(0);
        drain();
        contract.age(old, DAY.plusMinutes(1));
        UUID young = publish(message("1", "young")).get(0);
        drain();
        contract.age(young, DAY.minusMinutes(1));
        UUID unsent = publish(message("1", "unsent")).get(0);
        contract.age(unsent, DAY.multipliedBy(9));
        UUID failed = publish(message(elsewhere("1"), "failed")).get(0);
        for (OutboxBatch batch : List.of(claimed(), claimed())) {
            store().settle(
                            batch,
                            batch.rows().stream()
                                    .filter(row -> row.id().equals(failed))
                                    .map(OutboxFixture::failed)
                                    .toList());
        }
        contract.age(failed, DAY.multipliedBy(9));

        assertThat(outbox().purge(DAY)).isEqualTo(1);

        assertThat(drain()).containsExactly("unsent");
        assertThat(store().failed(10)).extracting(FailedMessage::id).containsExactly(failed);
        assertThat(outbox().purge(Duration.ZERO)).isEqualTo(2);
    }

    @Test
    void deleting_is_bounded() {
        publish(IntStream.range(0, 5).mapToObj(i -> message("1", "e" + i)).toArray(OutboxMessage[]::new));
        drain();

        assertThat(store().purge(Duration.ZERO, 3)).isEqualTo(3);
        assertThat(store().purge(Duration.ZERO, 3)).isEqualTo(2);
    }

    @Test // F155
    void the_backlog_counts_what_waits_and_how_long() {
        assertThat(store().backlog().oldest()).isZero();
        UUID first = publish(message("1", "first"), message("1", "second"), message(beside("1"), "beside"))
                .get(0);
        contract.age(first, DAY);

        assertThat(store().backlog().waiting()).isEqualTo(3);
        assertThat(store().backlog().failed()).isZero();
        assertThat(store().backlog().oldest()).isBetween(DAY, DAY.plusMinutes(5));

        OutboxBatch batch = claimed();
        store().settle(
                        batch,
                        List.of(failed(batch.rows().get(0)), sent(batch.rows().get(2))));
        assertThat(store().backlog().waiting()).isEqualTo(1);
        assertThat(store().backlog().failed()).isEqualTo(1);

        store().requeue(first);
        drain();
        assertThat(store().backlog().waiting()).isZero();
        assertThat(store().backlog().oldest()).isZero();
    }

    @Test // F145
    void a_failed_message_can_be_looked_at() {
        OutboxMessage message = message("1", "first").header("tenant", "a");
        UUID id = publish(message).get(0);
        OutboxBatch batch = claimed();
        store().settle(batch, List.of(failed(batch.rows().get(0))));

        assertThat(store().failed(10)).singleElement().satisfies(failed -> {
            assertThat(failed.id()).isEqualTo(id);
            assertThat(failed.message()).isEqualTo(message);
            assertThat(failed.failures()).isEqualTo(1);
            assertThat(failed.error()).isEqualTo("too large");
        });
    }

    @Test
    void a_batch_has_no_more_than_8_mebibytes_and_one_message() {
        byte[] large = new byte[4 << 20];
        for (int i = 0; i < 3; i++) {
            publish(message("1", "large").bytes(large));
        }

        OutboxBatch batch = claimed();

        assertThat(batch.rows()).hasSize(2);
        store().settle(batch, batch.rows().stream().map(OutboxFixture::sent).toList());
        assertThat(claimed().rows()).hasSize(1);
    }
}
