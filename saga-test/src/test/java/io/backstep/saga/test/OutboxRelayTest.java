package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Alert;
import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.MessageRefusedException;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.test.RelayWorld.Fault;
import io.backstep.saga.test.RelayWorld.Got;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The relay on the in-memory store, in virtual time. */
class OutboxRelayTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RelayWorld world = new RelayWorld();

    private static CompletableFuture<Object> failing() {
        return CompletableFuture.failedFuture(new IOException("planned"));
    }

    private List<UUID> ids(String type) {
        return world.broker.got.stream()
                .filter(got -> got.message().type().equals(type))
                .map(Got::id)
                .toList();
    }

    private List<Duration> apart(String type) {
        List<Instant> times = world.broker.got.stream()
                .filter(got -> got.message().type().equals(type))
                .map(Got::at)
                .toList();
        return IntStream.range(1, times.size())
                .mapToObj(i -> Duration.between(times.get(i - 1), times.get(i)))
                .toList();
    }

    private void assertNothingWaits() {
        assertThat(world.outbox.backlog()).isEqualTo(new OutboxBacklog(0, 0, Duration.ZERO));
    }

    @Test
    void what_was_published_is_sent_once_with_its_id_and_headers() {
        UUID id = world.publish("1", "placed");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.got).singleElement().satisfies(got -> {
            assertThat(got.id()).isEqualTo(id);
            assertThat(got.message()).isEqualTo(RelayWorld.message("1", "placed"));
        });
        assertNothingWaits();
    }

    @Test
    void a_relay_that_is_told_sends_at_once() throws Exception {
        RelayWorld.Node node = world.node();
        node.start();
        world.run(Duration.ofMillis(750));
        world.transactions.inTransaction(
                () -> world.outbox.waking(node.relay()::wake).publish(RelayWorld.message("1", "placed")));

        world.run(Duration.ofMillis(1));

        assertThat(world.broker.types()).containsExactly("placed");
    }

    @Test // F148
    void what_the_broker_has_not_confirmed_is_not_marked() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        world.broker.next("placed", answer);
        world.publish("1", "placed");
        world.node().start();

        world.run(Duration.ofSeconds(9));
        assertThat(world.outbox.backlog().waiting()).isEqualTo(1);
        answer.complete("confirmed");
        world.run(SECOND);

        assertNothingWaits();
        assertThat(world.broker.got).hasSize(1);
    }

    @Test // F148
    void what_the_broker_never_confirms_is_sent_again_after_the_time_limit_with_the_same_id() {
        world.broker.next("placed", new CompletableFuture<>());
        UUID id = world.publish("1", "placed");
        world.publish("1", "paid");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactly("placed", "placed", "paid");
        assertThat(ids("placed")).containsExactly(id, id);
        assertThat(apart("placed"))
                .singleElement()
                .satisfies(time -> assertThat(time).isBetween(Duration.ofSeconds(11), Duration.ofSeconds(12)));
        assertNothingWaits();
    }

    @Test // F148
    void a_failure_that_comes_late_is_a_failure() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        world.broker.next("placed", answer);
        world.publish("1", "placed");
        world.publish("1", "paid");
        world.node().start();
        world.run(Duration.ofSeconds(5));

        answer.completeExceptionally(new IOException("planned"));
        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactly("placed", "placed", "paid");
    }

    @Test
    void a_broker_that_throws_has_failed() {
        world.broker.throwsOnce = true;
        world.publish("1", "placed");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactly("placed", "placed");
        assertNothingWaits();
    }

    @Test
    void attempts_are_as_far_apart_as_the_policy_says_and_then_a_person_is_told() {
        IntStream.range(0, 3).forEach(i -> world.broker.next("placed", failing()));
        UUID id = world.publish("1", "placed");
        world.publish("1", "paid");
        world.publish("2", "other");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactlyInAnyOrder("placed", "other", "placed", "placed");
        assertThat(apart("placed").get(0)).isBetween(SECOND, SECOND.plusMillis(500));
        assertThat(apart("placed").get(1))
                .isBetween(SECOND.multipliedBy(2), SECOND.multipliedBy(2).plusMillis(500));
        assertThat(world.outbox.failed(10)).singleElement().satisfies(failed -> {
            assertThat(failed.id()).isEqualTo(id);
            assertThat(failed.failures()).isEqualTo(3);
            assertThat(failed.error()).isEqualTo("IOException: planned");
        });
        assertThat(world.alerts).singleElement().satisfies(alert -> {
            assertThat(alert.code()).isEqualTo("SAGA-ALERT-003");
            assertThat(alert.sagaId()).isEqualTo(id);
        });

        assertThat(world.outbox.requeue(id)).isTrue();
        world.run(MINUTE);
        assertThat(world.broker.types()).endsWith("placed", "paid");
        assertNothingWaits();
    }

    @Test // F145, M13
    void one_that_the_broker_refuses_is_parked_with_the_cause_and_a_thousand_others_flow() {
        for (int i = 0; i < 1_000; i++) {
            if (i == 500) {
                world.broker.next(
                        "huge",
                        CompletableFuture.failedFuture(
                                new MessageRefusedException("5000000 bytes, allowed are 1000000")));
                world.publish("bad", "huge");
                world.publish("bad", "behind it");
            }
            world.publish("good-" + i % 100, "good");
        }
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).hasSize(1_001).doesNotContain("behind it");
        assertThat(world.outbox.failed(10))
                .extracting(FailedMessage::error)
                .containsExactly("MessageRefusedException: 5000000 bytes, allowed are 1000000");
        assertThat(world.alerts).extracting(Alert::code).containsExactly("SAGA-ALERT-003");

        assertThat(world.outbox.discard(world.outbox.failed(1).get(0).id())).isTrue();
        world.run(SECOND);
        assertThat(world.broker.types()).endsWith("behind it");
        assertNothingWaits();
    }

    @Test
    void what_is_behind_a_failing_one_waits_and_other_aggregates_go_on() {
        world.broker.next("a1", failing());
        world.publish("a", "a1");
        world.publish("a", "a2");
        IntStream.range(0, 40).forEach(i -> world.publish("other-" + i, "other"));
        world.node().start();

        world.run(Duration.ofMillis(900));
        assertThat(world.broker.types()).hasSize(41).doesNotContain("a2");

        world.run(MINUTE);
        assertThat(world.broker.types()).endsWith("a1", "a2");
    }

    @Test
    void one_that_never_answers_keeps_only_its_own_lane_waiting() {
        world.broker.next("a1", new CompletableFuture<>());
        world.publish("a", "a1");
        world.node().start();
        world.run(SECOND);
        IntStream.range(0, 40).forEach(i -> world.publish(OutboxFixture.elsewhere("a") + i, "other"));
        String elsewhere = OutboxFixture.elsewhere("a");
        world.publish(elsewhere, "elsewhere");

        world.run(SECOND);

        assertThat(world.broker.types()).contains("elsewhere");
    }

    @Test
    void aggregates_of_one_lane_do_not_wait_for_each_other() {
        world.broker.next("a1", new CompletableFuture<>());
        world.publish("a", "a1");
        world.publish(OutboxFixture.beside("a"), "beside");
        world.node().start();

        world.run(SECOND);

        assertThat(world.broker.types()).containsExactly("a1", "beside");
    }

    @Test
    void a_backlog_is_sent_batch_after_batch_without_waiting_for_polls() {
        IntStream.range(0, 1_000).forEach(i -> world.publish("1", "e" + i));
        world.node().start();

        world.run(Duration.ofMillis(499));

        assertThat(world.broker.got).hasSize(1_000);
    }

    @Test // F154
    void what_was_confirmed_and_not_marked_when_the_relay_died_is_sent_again_first_and_with_the_same_id() {
        world.store.faults.add(Fault.LOST_BEFORE_COMMIT);
        UUID first = world.publish("1", "first");
        world.publish("1", "second");
        RelayWorld.Node killed = world.node();
        killed.start();
        world.run(Duration.ofMillis(100));
        assertThat(world.broker.types()).containsExactly("first", "second");
        killed.kill();
        world.publish("1", "third");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactly("first", "second", "first", "second", "third");
        assertThat(ids("first")).containsExactly(first, first);
        assertThat(world.broker.got.get(2).message()).isEqualTo(RelayWorld.message("1", "first"));
        assertNothingWaits();
    }

    @Test
    void a_relay_that_died_before_the_broker_answered_leaves_its_lane_for_no_longer_than_the_lease() {
        world.broker.next("first", new CompletableFuture<>());
        world.publish("1", "first");
        RelayWorld.Node killed = world.node();
        killed.start();
        world.run(SECOND);
        killed.kill();
        world.node().start();

        world.run(Duration.ofSeconds(30));

        assertThat(world.broker.types()).containsExactly("first", "first");
        assertNothingWaits();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void marks_whose_commit_is_in_doubt_are_written_again_and_nothing_is_sent_twice(Fault fault) {
        world.store.faults.add(fault);
        world.publish("1", "first");
        world.publish("1", "second");
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.types()).containsExactly("first", "second");
        assertThat(world.store.settled).isEqualTo(fault == Fault.NONE ? 1 : 2);
        assertNothingWaits();
    }

    @Test
    void a_relay_that_slept_longer_than_its_lease_marks_nothing_of_what_another_has_taken() {
        CompletableFuture<Object> late = new CompletableFuture<>();
        world.broker.next("first", late);
        world.broker.next("first", failing());
        UUID first = world.publish("1", "first");
        RelayWorld.Node old = world.node();
        old.start();
        world.run(SECOND);
        old.pause();
        late.complete("confirmed");
        world.node().start();
        world.runUntil(() -> world.broker.got.size() == 2);
        world.run(Duration.ofMillis(1));

        old.resume();
        world.run(MINUTE);

        assertThat(ids("first")).as("sent again by who has taken it").containsExactly(first, first, first);
        assertNothingWaits();
    }

    @Test
    void two_relays_at_once_keep_the_order_and_send_nothing_twice() {
        for (int i = 0; i < 400; i++) {
            world.publish("agg-" + i % 40, "" + i);
        }
        world.node().start();
        world.node().start();

        world.run(MINUTE);

        assertThat(world.broker.got).hasSize(400);
        for (int i = 0; i < 40; i++) {
            String aggregate = "agg-" + i;
            assertThat(world.broker.got)
                    .filteredOn(got -> got.message().aggregateId().equals(aggregate))
                    .extracting(got -> Integer.valueOf(got.message().type()))
                    .isSorted();
        }
    }

    @Test // F158
    void closing_waits_for_what_is_under_way_and_marks_it() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        world.broker.next("first", answer);
        world.publish("1", "first");
        world.publish("1", "second");
        RelayWorld.Node node = world.node();
        node.start();
        world.run(SECOND);
        world.time.timer().after(Duration.ofSeconds(3), () -> answer.complete("confirmed"));

        node.relay().close();

        assertThat(world.broker.types()).containsExactly("first");
        assertThat(world.outbox.backlog().waiting()).isEqualTo(1);
        world.run(MINUTE);
        assertThat(world.broker.types()).containsExactly("first");
    }

    @Test
    void a_slow_broker_does_not_make_the_relay_outlive_its_lease() {
        IntStream.range(0, 10).forEach(i -> world.publish("1", "e" + i));
        world.broker.slow = Duration.ofSeconds(8);
        world.node().start();
        world.node().start();

        world.run(Duration.ofMinutes(10));

        assertThat(world.broker.types())
                .isEqualTo(IntStream.range(0, 10).mapToObj(i -> "e" + i).toList());
        assertNothingWaits();
    }
}
