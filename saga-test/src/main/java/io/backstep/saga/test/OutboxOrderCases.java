package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRow;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The messages of an aggregate keep their order, whatever becomes of them; others do not wait for them. */
abstract class OutboxOrderCases extends OutboxFixture {
    private static final Duration HOUR = Duration.ofHours(1);

    OutboxOrderCases(OutboxContract contract) {
        super(contract);
    }

    @Test
    void messages_of_an_aggregate_come_in_the_order_of_publishing_over_many_batches() {
        List<String> types = IntStream.range(0, 25).mapToObj(i -> "e" + i).toList();
        publish(types.subList(0, 10).stream().map(type -> message("1", type)).toArray(OutboxMessage[]::new));
        types.subList(10, 25).forEach(type -> publish(message("1", type)));

        for (int i = 0; i < 25; i += 5) {
            OutboxBatch batch = store().claim("test", LEASE, 5).orElseThrow();
            assertThat(types(batch)).isEqualTo(types.subList(i, i + 5));
            store().settle(batch, batch.rows().stream().map(OutboxFixture::sent).toList());
        }
        assertThat(claim()).isEmpty();
    }

    @Test // F146
    void what_is_committed_late_is_sent_and_keeps_nobody_waiting() throws Exception {
        CountDownLatch published = new CountDownLatch(2);
        CountDownLatch commitFirst = new CountDownLatch(1);
        CountDownLatch commitOther = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> first = threads.submit(() -> publishSlowly("1", "first", published, commitFirst));
            Future<?> other = threads.submit(() -> publishSlowly("2", "other", published, commitOther));
            assertThat(published.await(1, TimeUnit.MINUTES)).isTrue();
            publish(message("1", "second"));

            assertThat(drain()).containsExactly("second");

            commitFirst.countDown();
            first.get(1, TimeUnit.MINUTES);
            publish(message("1", "third"));
            assertThat(drain()).containsExactly("first", "third");

            commitOther.countDown();
            other.get(1, TimeUnit.MINUTES);
            assertThat(drain()).containsExactly("other");
        } finally {
            threads.shutdownNow();
        }
    }

    private boolean publishSlowly(String aggregateId, String type, CountDownLatch published, CountDownLatch commit) {
        return inTransaction(() -> {
            outbox().publish(message(aggregateId, type));
            published.countDown();
            return commit.await(1, TimeUnit.MINUTES);
        });
    }

    @Test
    void what_is_behind_one_that_is_tried_again_later_waits_for_it() {
        UUID first = publish(message("1", "first"), message("1", "second")).get(0);
        publish(message(beside("1"), "neighbour"));
        OutboxBatch batch = claimed();
        assertThat(types(batch)).containsExactly("first", "second", "neighbour");

        store().settle(batch, List.of(retry(batch.rows().get(0), HOUR)));

        assertThat(drain()).containsExactly("neighbour");
        contract.age(first, HOUR);
        OutboxBatch again = claimed();
        assertThat(types(again)).containsExactly("first", "second");
        assertThat(again.rows().get(0).failures()).isEqualTo(1);
        assertThat(again.rows().get(0).id()).isEqualTo(first);
        store().settle(again, List.of(sent(again.rows().get(0))));
        assertThat(drain()).containsExactly("second");
    }

    @Test
    void what_is_behind_a_failed_one_waits_until_it_is_requeued() {
        UUID first = publish(message("1", "first"), message("1", "second")).get(0);
        OutboxBatch batch = claimed();
        store().settle(batch, List.of(failed(batch.rows().get(0))));
        publish(message("1", "third"), message(elsewhere("1"), "elsewhere"));
        assertThat(drain()).containsExactly("elsewhere");

        assertThat(store().requeue(first)).isTrue();

        OutboxBatch again = claimed();
        assertThat(types(again)).containsExactly("first", "second", "third");
        assertThat(again.rows()).extracting(OutboxRow::failures).containsOnly(0);
    }

    @Test
    void what_is_behind_a_failed_one_goes_on_when_it_is_discarded() {
        UUID first = publish(message("1", "first"), message("1", "second")).get(0);
        OutboxBatch batch = claimed();
        store().settle(batch, List.of(failed(batch.rows().get(0))));

        assertThat(store().discard(first)).isTrue();

        assertThat(drain()).containsExactly("second");
    }

    @Test
    void only_what_has_failed_is_requeued_or_discarded() {
        UUID waiting = publish(message("1", "first")).get(0);
        assertThat(store().requeue(waiting)).isFalse();
        assertThat(store().discard(waiting)).isFalse();
        assertThat(store().discard(UUID.randomUUID())).isFalse();

        assertThat(drain()).containsExactly("first");
        assertThat(store().requeue(waiting)).isFalse();
        assertThat(drain()).isEmpty();
    }

    @Test
    void one_that_is_committed_late_goes_before_one_that_waits() throws Exception {
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(1);
        try {
            Future<?> late = threads.submit(() -> publishSlowly("1", "late", published, commit));
            assertThat(published.await(1, TimeUnit.MINUTES)).isTrue();
            publish(message("1", "early"));
            OutboxBatch batch = claimed();
            store().settle(batch, List.of(failed(batch.rows().get(0))));
            commit.countDown();
            late.get(1, TimeUnit.MINUTES);

            assertThat(drain()).containsExactly("late");
        } finally {
            threads.shutdownNow();
        }
    }
}
