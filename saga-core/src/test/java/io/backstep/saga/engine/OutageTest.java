package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database is away for minutes: how often it is asked, what is said of it, and what comes after. G21, F5. */
class OutageTest extends EngineFixture {
    private final List<UUID> ids = new ArrayList<>();
    private boolean slow = true;

    /** Sagas in every situation: about to record, in a transaction, about to retry, compensating, waiting for long. */
    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> call("one " + c.sagaId(), 1))
                .compensate(c -> calls.add("undo one " + c.sagaId()))
                .retry(Retry.fixed(Duration.ofMillis(300)).maxAttempts(5))
                .step("two")
                .transactional()
                .action(c -> calls.add("two " + c.sagaId()))
                .compensate(c -> calls.add("undo two " + c.sagaId()))
                .step("three")
                .action(c -> {
                    if (c.input().text().equals("no")) {
                        throw new StepRejectedException("NO", "no");
                    }
                    if (c.input().text().equals("later") && slow) {
                        throw new IOException("later");
                    }
                })
                .compensate(c -> calls.add("undo three"))
                .retry(Retry.fixed(Duration.ofSeconds(4)).maxAttempts(1000))
                .build();
    }

    private TestNode busyNode() {
        TestNode node = node(definition());
        for (int i = 0; i < 200; i++) {
            String text = List.of("yes", "no", "later").get(i % 3);
            ids.add(node.client().start(TYPE, new Input(text)).sagaId());
            time.run(Duration.ofMillis(2));
        }
        return node;
    }

    @Test // F164, G21
    void each_kind_of_call_is_tried_once_a_second_however_many_sagas_wait() {
        busyNode();
        store.away = true;
        time.run(Duration.ofSeconds(3));
        for (int minute = 1; minute <= 5; minute++) {
            String when = " in minute " + minute;
            Map<Call, Integer> before = new EnumMap<>(store.calls);
            int events = time.executed();
            time.run(Duration.ofMinutes(1));
            store.calls.forEach((call, count) -> assertThat(count - before.getOrDefault(call, 0))
                    .as(call + when)
                    .isLessThanOrEqualTo(61));
            assertThat(store.count(Call.SUBMIT) - before.getOrDefault(Call.SUBMIT, 0))
                    .isGreaterThan(30);
            assertThat(time.executed() - events)
                    .as("timers and tasks in a minute")
                    .isLessThan(20_000);
        }
    }

    @Test // F5, F164
    void one_warning_tells_of_it_and_one_line_of_its_end() {
        try (Logs logs = new Logs()) {
            TestNode node = busyNode();
            int before = logs.warnings().size();
            store.away = true;
            time.run(Duration.ofMinutes(10));
            assertThat(node.engine.status().storeReachable()).isFalse();
            List<String> warnings = logs.warnings();
            assertThat(warnings.subList(before, warnings.size()))
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("SAGA-DB-002")
                    .contains("injected, effect NONE")
                    .doesNotContain("\n");
            slow = false;
            store.away = false;
            time.run(Duration.ofSeconds(10));
            assertThat(logs.of(Level.INFO))
                    .filteredOn(line -> line.contains("answers again"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("after PT10M");
            assertThat(node.engine.status().storeReachable()).isTrue();
            assertThat(logs.warnings())
                    .filteredOn(line -> line.startsWith("SAGA-DB"))
                    .hasSize(1);
        }
    }

    @Test // F002, F134, G21
    void within_ten_seconds_everything_has_gone_on_and_nothing_is_lost_or_done_twice() {
        busyNode();
        store.away = true;
        time.run(Duration.ofMinutes(10));
        slow = false;
        store.away = false;
        time.run(Duration.ofSeconds(10));
        assertThat(ids).allMatch(this::settled);
        assertThat(ids)
                .filteredOn(id -> row(id).status() == SagaStatus.COMPENSATED)
                .hasSize(67);
        assertThat(calls)
                .filteredOn(call -> call.startsWith("two "))
                .hasSize(200)
                .doesNotHaveDuplicates();
        assertThat(calls).filteredOn(call -> call.startsWith("undo two ")).hasSize(67);
        assertThat(ids)
                .allSatisfy(id -> assertThat(history(id))
                        .filteredOn(line -> line.startsWith("one ACTION") && line.endsWith("SUCCEEDED"))
                        .hasSize(1));
    }

    @Test // G21
    void a_start_fails_at_once_and_says_that_nothing_was_written() {
        TestNode node = node(definition());
        store.away = true;
        time.run(Duration.ofSeconds(5));
        for (int i = 0; i < 100; i++) {
            startInVain(node);
            time.run(Duration.ofMillis(20));
        }
        SagaStoreException last = startInVain(node);
        assertThat(last.code()).isEqualTo("SAGA-DB-015");
        assertThat(last.effect()).isEqualTo(Effect.NONE);
        assertThat(last).hasCauseInstanceOf(SagaStoreException.class);
        assertThat(store.count(Call.INSERT)).isLessThan(5);
        store.away = false;
        time.run(Duration.ofSeconds(2));
        slow = false;
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(memory.list(new ListQuery(null, null, null, null, null, null, null, 10)))
                .hasSize(1);
    }

    /** A moment after the first failure a start waits for the next try. */
    private SagaStoreException startInVain(TestNode node) {
        boolean waits = store.count(Call.INSERT) == 1;
        if (waits) {
            time.run(Duration.ofMillis(200));
        }
        return catchThrowableOfType(SagaStoreException.class, () -> start(node));
    }

    @Test // F3, G10, G21
    void a_node_whose_leases_ran_out_meanwhile_acts_on_nothing_that_another_has_taken() {
        FaultyStore cutOff = new FaultyStore(memory);
        SagaDefinition<Input> definition = definition();
        TestNode first = new TestNode(time, cutOff, memory.transactions(), TestNode.tuning(), definition).started();
        slow = false;
        for (int i = 0; i < 20; i++) {
            ids.add(start(first));
        }
        time.run(Duration.ofMillis(100));
        cutOff.away = true;
        time.run(Duration.ofSeconds(5));
        TestNode second = node(definition);
        time.runUntil(() -> ids.stream().allMatch(this::settled));
        int before = calls.size();
        cutOff.away = false;
        time.run(Duration.ofMinutes(2));
        assertThat(calls).hasSize(before);
        assertThat(first.engine.status().held()).isZero();
        assertThat(second.engine.status().held()).isZero();
        assertThat(ids).allSatisfy(id -> assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED));
        assertThat(calls)
                .filteredOn(call -> call.startsWith("two "))
                .hasSize(20)
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest // F6
    @EnumSource(names = {"REFUSED_CONNECTION", "LOST_IN_DOUBT"})
    void one_lost_connection_costs_a_moment_and_no_more(Fault fault) {
        TestNode node = node(definition());
        slow = false;
        store.next(Call.SUBMIT, fault);
        UUID id = start(node);
        end(node, id);
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(2));
        assertThat(store.exhausted()).isTrue();
    }

    @Test // F17
    void a_deadlock_before_the_work_of_a_transaction_lets_the_next_in() {
        TestNode node = node(definition());
        slow = false;
        store.next(Call.TRANSACTION, Fault.REFUSED_CONNECTION, Fault.DEADLOCK);
        ids.add(start(node));
        time.run(Duration.ofMillis(10));
        ids.add(start(node));
        time.run(Duration.ofSeconds(10));
        assertThat(store.exhausted()).isTrue();
        assertThat(ids).allMatch(this::settled);
    }

    @Test // F164
    void two_outages_in_a_row_are_two_warnings() {
        busyNode();
        slow = false;
        try (Logs logs = new Logs()) {
            for (int outage = 1; outage <= 2; outage++) {
                store.away = true;
                time.run(Duration.ofMinutes(1));
                store.away = false;
                time.run(Duration.ofSeconds(10));
                assertThat(logs.warnings())
                        .filteredOn(line -> line.startsWith("SAGA-DB-002"))
                        .hasSize(outage);
            }
            assertThat(ids).allMatch(this::settled);
        }
    }

    @Test // G22
    void a_node_that_is_closed_in_an_outage_ends_and_another_goes_on() {
        TestNode node = node(TestNode.tuning().withPatience(Duration.ZERO, Duration.ofMinutes(1)), definition());
        slow = false;
        for (int i = 0; i < 20; i++) {
            ids.add(start(node));
        }
        store.away = true;
        time.run(Duration.ofSeconds(3));
        node.engine.close();
        store.away = false;
        TestNode next = node(definition());
        time.run(Duration.ofSeconds(15));
        assertThat(ids).allMatch(this::settled);
        assertThat(next.engine.status().held()).isZero();
    }

    @Test // X7
    void a_recovery_that_meets_a_lock_tells_of_it() {
        TestNode node = node(definition());
        slow = false;
        store.next(Call.SUBMIT, Fault.LOST_IN_DOUBT);
        store.next(Call.RECOVER, Fault.LOCKED, Fault.LOCKED);
        try (Logs logs = new Logs()) {
            end(node, start(node));
            assertThat(lockLines(logs)).hasSize(1);
        }
    }

    @Test
    void a_row_for_which_every_flush_fails_does_not_stop_the_others() { // G20
        TestNode node = node(definition());
        slow = false;
        UUID bad = start(node);
        store.poison = bad;
        for (int i = 0; i < 20; i++) {
            ids.add(start(node));
        }
        time.run(Duration.ofMinutes(2));
        assertThat(ids).allMatch(this::settled);
        assertThat(settled(bad)).isFalse();
        store.poison = null;
        time.run(Duration.ofSeconds(10));
        assertThat(settled(bad)).isTrue();
    }

    @Test // F164
    void purging_adds_no_warning_of_its_own() {
        TestNode node = busyNode();
        try (Logs logs = new Logs()) {
            SagaRetention retention = SagaRetention.of(
                    node.engine,
                    new RetentionPolicy(Map.of(SagaStatus.COMPLETED, Duration.ofDays(1)), Duration.ofMinutes(1), 10));
            retention.start();
            store.away = true;
            time.run(Duration.ofMinutes(10));
            assertThat(logs.warnings()).hasSize(1);
            int inVain = store.count(Call.PURGE);
            assertThat(inVain).isGreaterThan(5);
            store.away = false;
            time.run(Duration.ofSeconds(10));
            assertThat(store.count(Call.PURGE)).isGreaterThan(inVain);
            retention.close();
        }
    }

    @Test
    void a_locked_row_is_told_of_once_and_then_each_minute() {
        TestNode node = node(definition());
        slow = false;
        UUID id = start(node);
        try (Logs logs = new Logs()) {
            memory.whileLocked(id, () -> {
                time.run(Duration.ofSeconds(50));
                assertThat(lockLines(logs)).hasSize(1);
                time.run(Duration.ofMinutes(3));
                assertThat(lockLines(logs)).hasSize(4).last().asString().contains("for 18");
            });
            end(node, id);
            assertThat(lockLines(logs)).hasSize(4);
        }
    }

    private static List<String> lockLines(Logs logs) {
        return logs.warnings().stream().filter(line -> line.contains("locked")).toList();
    }
}
