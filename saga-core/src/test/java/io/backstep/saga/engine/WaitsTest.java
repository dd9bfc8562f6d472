package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Steps that wait for a signal: nothing is held, and the signal is mail. */
class WaitsTest extends EngineFixture {
    private static final Duration HOUR = Duration.ofHours(1);

    private SagaStage<Input> one() {
        return define().step("one").action(c -> calls.add("one")).compensate(c -> calls.add("undo one"));
    }

    private SagaDefinition<Input> waits() {
        return one().awaitSignal(FIRST, HOUR)
                .step("two")
                .action(c -> calls.add("two " + c.result(FIRST).text()))
                .compensate(c -> calls.add("undo two"))
                .build();
    }

    private UUID released(TestNode node) {
        UUID id = start(node);
        time.runUntil(() -> row(id).owner() == null);
        return id;
    }

    private static SignalOutcome answer(TestNode node, UUID id, String text, String messageId) {
        return node.client().signal(id, FIRST, new Answer(text), messageId);
    }

    private SagaInstance saga(TestNode node, UUID id) {
        return node.client().find(id).orElseThrow();
    }

    @Test
    void it_is_given_back_and_goes_on_with_what_the_signal_brings() {
        TestNode node = node(waits());
        UUID id = released(node);
        assertThat(row(id).dueAt()).isAfterOrEqualTo(row(id).createdAt().plus(HOUR));
        assertThat(steps(saga(node, id))).containsEntry("first", StepStatus.WAITING);
        assertThat(SagaAdmin.of(node.engine).find(id).orElseThrow().why()).contains("step first waits, at most until");

        assertThat(answer(node, id, "yes", "m1")).isEqualTo(SignalOutcome.ACCEPTED);

        SagaInstance end = end(node, id);
        assertThat(end.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(end.result(FIRST)).contains(new Answer("yes"));
        assertThat(calls).containsExactly("one", "two yes");
        assertThat(time.elapsed()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void another_node_may_go_on_and_finds_the_mail_by_looking() {
        TestNode node = node(waits());
        UUID id = released(node);
        node.kill();
        TestNode other = node(waits());

        answer(other, id, "yes", "m1");

        assertThat(end(other, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void an_early_signal_is_kept_and_survives_the_node() {
        TestNode[] first = new TestNode[1];
        SagaDefinition<Input> definition = define().step("one")
                .action(c -> {
                    calls.add("one");
                    if (calls.size() == 1) {
                        assertThat(answer(first[0], c.sagaId(), "early", "m1")).isEqualTo(SignalOutcome.BUFFERED);
                        throw first[0].killedHere();
                    }
                })
                .compensate(c -> calls.add("undo one"))
                .awaitSignal(FIRST, HOUR)
                .build();
        first[0] = node(definition);
        UUID id = start(first[0]);
        time.run(Duration.ofMillis(1));

        TestNode second = node(definition);
        SagaInstance end = end(second, id);

        assertThat(end.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(end.result(FIRST)).contains(new Answer("early"));
        assertThat(history(id)).contains("first ACTION 1 SUCCEEDED");
    }

    @Test
    void an_early_signal_for_a_saga_that_waits_for_another_is_kept_and_wakes_nobody_again() {
        Step<Answer> second = Step.named("second", Answer.class);
        SagaDefinition<Input> definition =
                one().awaitSignal(FIRST, HOUR).awaitSignal(second, HOUR).build();
        TestNode node = node(definition);
        UUID id = released(node);

        assertThat(node.client().signal(id, second, new Answer("b"), "m2")).isEqualTo(SignalOutcome.BUFFERED);
        time.runUntil(() -> row(id).seq() > 1 && row(id).owner() == null);
        long seq = row(id).seq();
        time.run(Duration.ofMinutes(10));
        assertThat(row(id).seq()).isEqualTo(seq);

        answer(node, id, "a", "m1");
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga(node, id).result(second)).contains(new Answer("b"));
    }

    @Test
    void the_same_message_twice_is_one() {
        TestNode node = node(waits());
        UUID id = released(node);

        assertThat(answer(node, id, "yes", "m1")).isEqualTo(SignalOutcome.ACCEPTED);
        assertThat(answer(node, id, "yes", "m1")).isEqualTo(SignalOutcome.DUPLICATE);
        end(node, id);
        assertThat(answer(node, id, "yes", "m1")).isEqualTo(SignalOutcome.DUPLICATE);
        assertThat(answer(node, id, "no", "m2")).isEqualTo(SignalOutcome.TOO_LATE);
        assertThat(answer(node, UUID.randomUUID(), "no", "m2")).isEqualTo(SignalOutcome.UNKNOWN_SAGA);
    }

    @Test
    void the_first_of_two_signals_counts() {
        TestNode node = node(waits());
        UUID id = released(node);

        assertThat(answer(node, id, "yes", "m1")).isEqualTo(SignalOutcome.ACCEPTED);
        assertThat(answer(node, id, "no", "m2")).isEqualTo(SignalOutcome.TOO_LATE);
        assertThat(end(node, id).result(FIRST)).contains(new Answer("yes"));
    }

    @Test
    void a_refusal_turns_it_with_its_code() {
        TestNode node = node(waits());
        UUID id = released(node);

        node.client().signalRejected(id, FIRST, "NO_MONEY", "the bank says no", "m1");

        SagaInstance end = end(node, id);
        assertThat(end.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(end.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(calls).containsExactly("one", "undo one");
        assertThat(memory.history(id))
                .extracting(HistoryRow::entry)
                .anyMatch(line -> line.step().equals("first")
                        && "NO_MONEY".equals(line.errorCode())
                        && "the bank says no".equals(line.errorText()));
    }

    @Test
    void unanswered_it_turns_and_a_late_signal_is_told_so() {
        TestNode node = node(waits());
        UUID id = released(node);
        SagaInstance end = end(node, id);

        assertThat(end.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(end.reason()).isEqualTo(SagaReason.UNANSWERED);
        assertThat(calls).containsExactly("one", "undo one");
        assertThat(time.elapsed()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(answer(node, id, "late", "m1")).isEqualTo(SignalOutcome.TOO_LATE);
    }

    @Test
    void a_saga_whose_first_step_waits_is_nobodys_from_the_start() {
        TestNode node = node(define().awaitSignal(FIRST, HOUR).build());
        UUID id = start(node);

        assertThat(row(id).owner()).isNull();
        answer(node, id, "yes", "m1");
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_signal_joins_the_callers_transaction() throws Exception {
        TestNode node = node(waits());
        UUID id = released(node);
        memory.transactions().inTransaction(() -> {
            answer(node, id, "yes", "m1");
            time.run(Duration.ofMinutes(1));
            assertThat(steps(saga(node, id))).containsEntry("first", StepStatus.WAITING);
            return id;
        });
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_refusal_after_the_pivot_parks_once_and_a_retry_waits_for_another_answer() {
        TestNode node = node(define().pivot("pivot")
                .action(c -> calls.add("pivot"))
                .awaitSignal(FIRST, HOUR)
                .build());
        UUID id = released(node);
        node.client().signalRejected(id, FIRST, "NO", "not yet", "m1");
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.RETRIABLE_REJECTED);
        assertThat(answer(node, id, "yes", "m2")).isEqualTo(SignalOutcome.BUFFERED);

        SagaAdmin.of(node.engine).retry(id, AdminRequest.by("somebody", "it is settled"));

        time.runUntil(() -> row(id).status().ended());
        assertThat(saga(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(saga(node, id).result(FIRST)).contains(new Answer("yes"));
    }

    @Test
    void a_reply_and_the_end_of_the_time_at_the_same_moment_one_wins() { // F008
        TestNode owner = node(waits());
        TestNode other = node(waits());
        Map<SagaStatus, Integer> ends = new EnumMap<>(SagaStatus.class);
        for (int round = 0; round < 200; round++) {
            calls.clear();
            UUID id = released(owner);
            Duration untilDue = Duration.between(time.now(), row(id).dueAt());
            later(untilDue.plusMillis(5L * (round - 100)), () -> answer(other, id, "yes", "m1"));

            SagaStatus end = end(owner, id).status();
            time.run(Duration.ofSeconds(2));

            ends.merge(end, 1, Integer::sum);
            List<String> expected =
                    end == SagaStatus.COMPLETED ? List.of("one", "two yes") : List.of("one", "undo one");
            assertThat(calls).isEqualTo(expected);
            assertThat(history(id))
                    .filteredOn(line -> line.startsWith("first "))
                    .hasSize(1);
            assertThat(history(id))
                    .filteredOn(line -> line.endsWith("TURNED"))
                    .hasSize(end == SagaStatus.COMPLETED ? 0 : 1);
            assertThat(row(id).status()).isEqualTo(end);
        }
        assertThat(ends).containsOnlyKeys(SagaStatus.COMPLETED, SagaStatus.COMPENSATED);
    }

    @Test
    void a_saga_that_is_to_begin_later_is_nobodys_until_then_and_its_signals_are_kept() {
        TestNode node = node(waits());
        StartOptions tomorrow = StartOptions.none().startAt(time.now().plus(Duration.ofDays(1)));
        UUID id = node.client().start(TYPE, INPUT, tomorrow).sagaId();
        assertThat(row(id).owner()).isNull();
        assertThat(answer(node, id, "early", "m1")).isEqualTo(SignalOutcome.BUFFERED);
        time.run(Duration.ofHours(23));
        assertThat(calls).isEmpty();

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two early");
        assertThat(time.elapsed()).isGreaterThanOrEqualTo(Duration.ofDays(1));
    }

    @Test
    void one_that_is_to_begin_too_late_is_refused() {
        TestNode node = node(waits());
        StartOptions never = StartOptions.none().startAt(time.now().plus(Duration.ofDays(400)));

        assertThatThrownBy(() -> node.client().start(TYPE, INPUT, never)).hasMessageContaining("366 days");
    }

    @Test
    void a_payload_that_cannot_be_read_parks_it_and_stays() throws Exception {
        TestNode node = node(waits());
        UUID id = released(node);
        Mail bad = new Mail(id, "signal:x", Mail.Kind.SIGNAL, "", new Mail.Answer("first", "[1", null));
        memory.transactions().inTransaction(() -> memory.post(bad));

        assertThat(end(node, id).reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(memory.inspect(id).orElseThrow().mail()).containsExactly(bad);
    }

    @Test
    void a_payload_that_cannot_be_read_does_not_hold_up_compensations() throws Exception {
        SagaDefinition<Input> definition = one().awaitSignal(FIRST, HOUR).build();
        TestNode node = node(definition);
        UUID id = released(node);
        Mail bad = new Mail(id, "signal:x", Mail.Kind.SIGNAL, "", new Mail.Answer("first", "[1", null));
        memory.transactions().inTransaction(() -> memory.post(bad));
        assertThat(end(node, id).reason()).isEqualTo(SagaReason.UNREADABLE);

        SagaAdmin.of(node.engine).compensate(id, AdminRequest.by("ann", "nobody can read it"));

        time.runUntil(() -> row(id).status().ended());
        assertThat(row(id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(memory.inspect(id).orElseThrow().mail()).isEmpty();
    }

    @Test
    void a_signal_ends_no_delay_even_if_who_sends_it_does_not_know_better() throws Exception {
        SagaDefinition<Input> definition = one().delay("rest", HOUR)
                .step("two")
                .action(c -> calls.add("two"))
                .noCompensation("a test")
                .build();
        TestNode node = node(definition);
        UUID id = released(node);
        Mail wrong = new Mail(id, "signal:x", Mail.Kind.SIGNAL, "", new Mail.Answer("rest", null, null));
        memory.transactions().inTransaction(() -> memory.post(wrong));

        time.run(HOUR.minusMinutes(1));

        assertThat(calls).doesNotContain("two");
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(memory.inspect(id).orElseThrow().mail()).isEmpty();
    }

    @Test
    void a_signal_that_proves_late_only_when_its_saga_sees_it_is_told_as_too_late() throws Exception {
        List<String> told = new ArrayList<>();
        TestNode node = listening(telling(told), waits());
        UUID id = released(node);
        for (String text : List.of("yes", "no")) { // both at the same moment, and accepted elsewhere
            Mail letter = new Mail(
                    id,
                    "signal:" + text,
                    Mail.Kind.SIGNAL,
                    "",
                    new Mail.Answer("first", "{\"text\":\"" + text + "\"}", null));
            memory.transactions().inTransaction(() -> memory.post(letter));
        }

        assertThat(end(node, id).result(FIRST)).contains(new Answer("yes"));
        time.run(Duration.ofSeconds(1));
        assertThat(told).containsExactly("test first TOO_LATE");
        assertThat(memory.inspect(id).orElseThrow().mail()).isEmpty();
    }

    @Test
    void a_signal_that_was_accepted_just_before_its_saga_ended_is_told_as_too_late() throws Exception { // F142
        List<String> told = new ArrayList<>();
        TestNode node = listening(telling(told), waits());
        UUID id = released(node);
        answer(node, id, "yes", "m1");
        end(node, id);
        told.clear();
        Mail letter =
                new Mail(id, "signal:m2", Mail.Kind.SIGNAL, "", new Mail.Answer("first", "{\"text\":\"no\"}", null));
        memory.transactions().inTransaction(() -> memory.post(letter)); // accepted elsewhere, committed after the end
        Mail toNobody =
                new Mail(UUID.randomUUID(), "signal:m2", Mail.Kind.SIGNAL, "", new Mail.Answer("first", null, null));
        memory.transactions().inTransaction(() -> memory.post(toNobody));
        Mail cancel = new Mail(id, "cancel:m3", Mail.Kind.CANCEL, "");
        memory.transactions().inTransaction(() -> memory.post(cancel));

        time.run(Duration.ofSeconds(10));

        assertThat(told).containsExactlyInAnyOrder("test first TOO_LATE", "null first TOO_LATE");
    }

    private static SagaListener telling(List<String> told) {
        return new SagaListener() {
            @Override
            public void signalled(@Nullable String sagaName, String step, SignalOutcome outcome) {
                told.add(sagaName + " " + step + " " + outcome);
            }
        };
    }

    @Test
    void a_signal_in_a_transaction_is_told_once_that_has_committed_and_never_when_it_is_rolled_back() throws Exception {
        List<String> told = new ArrayList<>();
        TestNode node = listening(telling(told), waits());
        UUID id = released(node);

        assertThatThrownBy(() -> memory.transactions().inTransaction(() -> {
                    answer(node, id, "yes", "m1");
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(told).isEmpty();

        memory.transactions().inTransaction(() -> {
            answer(node, id, "yes", "m1");
            assertThat(told).isEmpty();
            return null;
        });
        assertThat(told).containsExactly("test first ACCEPTED");
    }

    @Test
    void a_signal_that_is_taken_is_told_once() {
        List<String> told = new ArrayList<>();
        TestNode node = listening(telling(told), waits());
        UUID id = released(node);
        answer(node, id, "yes", "m1");
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(told).containsExactly("test first ACCEPTED");
    }

    @Test
    void a_release_in_doubt_that_was_applied_is_repeated_after_the_recovery() {
        TestNode node = node(waits());
        store.next(FaultyStore.Call.SUBMIT, FaultyStore.Fault.APPLIED_IN_DOUBT);
        UUID id = start(node);
        time.run(Duration.ofMinutes(1));

        assertThat(store.exhausted()).isTrue();
        assertThat(store.count(FaultyStore.Call.RECOVER)).isEqualTo(1);
        assertThat(row(id).owner()).isNull();
        assertThat(row(id).dueAt()).isAfterOrEqualTo(row(id).createdAt().plus(HOUR));
        assertThat(node.engine.status().held()).isZero();
        answer(node, id, "yes", "m1");
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_signal_for_another_step_or_of_another_type_is_refused() {
        TestNode node = node(waits());
        UUID id = released(node);

        assertThatThrownBy(() -> node.client().signal(id, Step.named("one", Answer.class), new Answer("x"), "m"))
                .hasMessageContaining("that waits for a signal");
        assertThatThrownBy(() -> node.client().signal(id, Step.named("first", String.class), "x", "m"))
                .hasMessageContaining("waits for a");
        assertThatThrownBy(() -> answer(node, id, "x", " ")).hasMessageContaining("messageId");
        assertThatThrownBy(() -> answer(node, id, "x", "m".repeat(191))).hasMessageContaining("messageId");
    }
}
