package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A lane is one relay's at a time. */
abstract class LaneCases extends OutboxFixture {
    private static final int AGGREGATES = 20;
    private static final int EACH = 20;

    LaneCases(OutboxContract contract) {
        super(contract);
    }

    @Test
    void a_lane_that_is_taken_is_nobody_elses() {
        publish(message("1", "first"));
        publish(message(elsewhere("1"), "elsewhere"));

        OutboxBatch one = claimed();
        OutboxBatch two = store().claim("other", LEASE, 100).orElseThrow();

        assertThat(one.lane()).isNotEqualTo(two.lane());
        assertThat(claim()).isEmpty();
    }

    @Test
    void a_lane_is_free_again_when_its_batch_is_settled() {
        publish(message("1", "first"), message("1", "second"));
        OutboxBatch batch = claimed();

        assertThat(store().settle(batch, List.of(sent(batch.rows().get(0))))).isTrue();

        assertThat(types(claimed())).containsExactly("second");
    }

    @Test
    void a_lane_whose_lease_is_over_is_taken_and_its_former_owner_marks_nothing() {
        publish(message("1", "first"), message("1", "second"));
        OutboxBatch old = claimed();
        contract.ageLease(old.lane(), LEASE.plusSeconds(1));
        OutboxBatch taken = store().claim("other", LEASE, 100).orElseThrow();
        assertThat(types(taken)).containsExactly("first", "second");

        assertThat(store().settle(
                                old,
                                old.rows().stream().map(OutboxFixture::sent).toList()))
                .isFalse();

        assertThat(claim()).as("still the new owner's").isEmpty();
        assertThat(store().settle(taken, List.of(sent(taken.rows().get(0))))).isTrue();
        assertThat(drain()).containsExactly("second");
    }

    @Test
    void a_batch_may_be_settled_twice_while_the_lane_is_nobody_elses() {
        publish(message("1", "first"), message(beside("1"), "beside"));
        OutboxBatch batch = claimed();
        List<OutboxRow> rows = batch.rows();
        var marks = List.of(sent(rows.get(0)), retry(rows.get(1), Duration.ofHours(1)));

        assertThat(store().settle(batch, marks)).isTrue();
        assertThat(store().settle(batch, marks)).isTrue();

        assertThat(claim()).isEmpty();
        contract.age(rows.get(1).id(), Duration.ofHours(2));
        assertThat(claimed().rows().get(0).failures()).isEqualTo(1);
    }

    @Test
    void a_lane_that_has_nothing_to_be_sent_is_not_taken() {
        publish(message("1", "first"), message("1", "second"));
        OutboxBatch batch = claimed();
        store().settle(batch, List.of(failed(batch.rows().get(0))));

        assertThat(claim()).isEmpty();
    }

    @Test
    void every_lane_has_its_turn() {
        String other = elsewhere("1");
        for (int i = 0; i < 3; i++) {
            publish(message("1", "here"), message(other, "there"));
        }

        List<Integer> lanes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            OutboxBatch batch = store().claim("test", LEASE, 1).orElseThrow();
            lanes.add(batch.lane());
            store().settle(batch, List.of(sent(batch.rows().get(0))));
        }

        assertThat(lanes.subList(0, 2)).doesNotHaveDuplicates();
        assertThat(lanes.subList(2, 4)).doesNotHaveDuplicates();
        assertThat(lanes.subList(4, 6)).doesNotHaveDuplicates();
    }

    @Test
    void publishers_and_relays_at_once_send_each_message_once_and_in_order() throws Exception {
        AtomicInteger publishing = new AtomicInteger(4);
        Map<String, List<Integer>> sent = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(7);
        List<Future<?>> all = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                int first = i * AGGREGATES / 4;
                all.add(threads.submit(() -> publishAll(first, publishing)));
            }
            for (int i = 0; i < 3; i++) {
                String owner = "relay " + i;
                all.add(threads.submit((Callable<Boolean>) () -> relay(owner, publishing, sent)));
            }
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(sent)
                .hasSize(AGGREGATES)
                .allSatisfy((aggregate, numbers) ->
                        assertThat(numbers).hasSize(EACH).isSorted().doesNotHaveDuplicates());
        assertThat(store().backlog().waiting()).isZero();
    }

    private boolean publishAll(int first, AtomicInteger publishing) {
        for (int number = 0; number < EACH; number++) {
            for (int i = first; i < first + AGGREGATES / 4; i++) {
                publish(message("many-" + i, "" + number));
            }
        }
        publishing.decrementAndGet();
        return true;
    }

    private boolean relay(String owner, AtomicInteger publishing, Map<String, List<Integer>> sent) {
        while (true) {
            boolean last = publishing.get() == 0;
            Optional<OutboxBatch> next = store().claim(owner, LEASE, 7);
            if (next.isPresent()) {
                next.get()
                        .rows()
                        .forEach(row -> sent.computeIfAbsent(
                                        row.message().aggregateId(),
                                        unused -> Collections.synchronizedList(new ArrayList<>()))
                                .add(Integer.valueOf(row.message().type())));
                store().settle(
                                next.get(),
                                next.get().rows().stream()
                                        .map(OutboxFixture::sent)
                                        .toList());
            } else if (last) {
                return true;
            }
        }
    }
}
