package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is deleted when, on virtual time. */
class RetentionTest extends EngineFixture {
    private static final Duration DAY = Duration.ofDays(1);

    private int failing;

    private SagaDefinition<Input> saga() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .noCompensation("no")
                .pivot("decide")
                .action(c -> {
                    if (failing > 0) {
                        failing--;
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .retriable("late")
                .action(c -> call("late", 0))
                .retry(Retry.none())
                .build();
    }

    private SagaDefinition<Input> parks() {
        return define().version(2)
                .pivot("decide")
                .action(c -> always("decide"))
                .retry(Retry.none())
                .build();
    }

    private UUID ended(TestNode node, String key) {
        UUID id = node.client().start(saga(), new Input(key)).sagaId();
        end(node, id);
        return id;
    }

    @Test
    void a_saga_that_ended_long_ago_goes_and_its_key_is_free() {
        TestNode node = node(saga());
        StartOptions key = StartOptions.businessKey("k");
        UUID id = node.client().start(TYPE, INPUT, key).sagaId();
        end(node, id);
        SagaRetention retention = SagaRetention.of(node.engine, RetentionPolicy.keep(DAY));
        assertThat(retention.run()).isZero();
        time.pass(DAY.plusSeconds(1));
        assertThat(retention.run()).isEqualTo(1);
        assertThat(node.client().find(id)).isEmpty();
        assertThat(memory.history(id)).isEmpty();
        assertThat(node.client().start(TYPE, new Input("another"), key).sagaId())
                .isNotEqualTo(id);
    }

    @Test
    void each_status_has_its_own_age_and_what_has_none_is_kept() { // F173
        TestNode node = node(saga(), parks());
        UUID completed = ended(node, "a");
        failing = 1;
        UUID compensated = ended(node, "b");
        UUID parked = node.client().start(parks(), INPUT).sagaId();
        end(node, parked);
        time.pass(DAY.multipliedBy(400));
        RetentionPolicy policy = new RetentionPolicy(Map.of(SagaStatus.COMPLETED, DAY), Duration.ofHours(1), 2);
        assertThat(SagaRetention.of(node.engine, policy).run()).isEqualTo(1);
        assertThat(node.client().find(completed)).isEmpty();
        assertThat(node.client().find(compensated)).isPresent();
        assertThat(SagaRetention.of(node.engine, RetentionPolicy.keep(DAY)).run())
                .isEqualTo(1);
        assertThat(node.client().find(compensated)).isEmpty();
        assertThat(row(parked).status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void two_services_that_share_the_tables_keep_their_sagas_each_by_its_own_ages() { // F086
        TestNode orders = node(saga());
        SagaType<Input> trips = SagaType.named("trip", Input.class);
        TestNode travels = node(Saga.define(trips)
                .step("one")
                .action(c -> {})
                .noCompensation("no")
                .build());
        UUID order = ended(orders, "a");
        UUID trip = travels.client().start(trips, INPUT).sagaId();
        end(travels, trip);
        time.pass(DAY.multipliedBy(10));

        assertThat(SagaRetention.of(orders.engine, RetentionPolicy.keep(DAY)).run())
                .isEqualTo(1);
        assertThat(memory.find(order)).isEmpty();
        assertThat(memory.find(trip)).isPresent();
        Duration longer = DAY.multipliedBy(20);
        assertThat(SagaRetention.of(travels.engine, RetentionPolicy.keep(longer))
                        .run())
                .isZero();
        time.pass(DAY.multipliedBy(10));
        assertThat(SagaRetention.of(travels.engine, RetentionPolicy.keep(longer))
                        .run())
                .isEqualTo(1);
    }

    @Test
    void versions_that_no_node_knows_any_more_go_with_their_type() { // F086
        TestNode before = node(parks());
        UUID id = before.client().start(parks(), INPUT).sagaId();
        end(before, id);
        SagaAdmin.of(before.engine).forceComplete(id, AdminRequest.by("ann", "settled by phone"));
        before.kill();
        time.pass(DAY.plusSeconds(1));

        assertThat(SagaRetention.of(node(saga()).engine, RetentionPolicy.keep(DAY))
                        .run())
                .isEqualTo(1);
    }

    @Test
    void what_an_operator_ended_goes_and_the_audit_stays() {
        TestNode node = node(parks());
        UUID id = node.client().start(parks(), INPUT).sagaId();
        end(node, id);
        SagaAdmin admin = SagaAdmin.of(node.engine);
        admin.forceComplete(id, AdminRequest.by("ann", "settled by phone"));
        time.pass(DAY.plusSeconds(1));
        assertThat(SagaRetention.of(node.engine, RetentionPolicy.keep(DAY)).run())
                .isEqualTo(1);
        assertThat(admin.find(id)).isEmpty();
        assertThat(admin.audit(new AuditQuery(id, null, null, 10))).hasSize(1);
    }

    @Test
    void it_runs_by_itself_in_slices_and_outlives_failures() { // F053
        List<Integer> slices = new ArrayList<>();
        TestNode node = node(saga());
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.add(ended(node, "k" + i));
        }
        store.onPurge = request -> {
            slices.add(request.limit());
            if (slices.size() == 2) {
                throw new SagaStoreException("SAGA-DB-001", "away", SagaStoreException.Effect.NONE, null);
            }
        };
        RetentionPolicy policy = new RetentionPolicy(Map.of(SagaStatus.COMPLETED, DAY), Duration.ofHours(1), 3);
        SagaRetention retention = SagaRetention.of(node.engine, policy);
        retention.start();
        time.run(DAY.plus(Duration.ofHours(4)));
        assertThat(ids).allMatch(id -> memory.find(id).isEmpty());
        assertThat(slices).containsOnly(3).hasSizeLessThan(120);
        int before = slices.size();
        retention.close();
        time.run(Duration.ofHours(4));
        assertThat(slices).hasSize(before);
    }

    @Test // F010
    void what_another_node_has_deleted_meanwhile_is_passed_over() {
        TestNode node = node(saga());
        UUID id = ended(node, "k");
        time.pass(DAY.plusSeconds(1));
        SagaRetention other = SagaRetention.of(node(saga()).engine, RetentionPolicy.keep(DAY));
        boolean[] begun = {false};
        store.onPurge = request -> {
            if (!begun[0]) {
                begun[0] = true;
                assertThat(other.run()).isEqualTo(1);
            }
        };

        assertThat(SagaRetention.of(node.engine, RetentionPolicy.keep(DAY)).run())
                .isZero();

        assertThat(memory.find(id)).isEmpty();
        assertThat(node.client().find(ended(node, "after"))).isPresent();
    }

    @ParameterizedTest // F010, F053
    @CsvSource({"1, 3", "1, 1", "3, 3", "7, 3", "7, 100", "4, 2"})
    void sagas_that_cannot_be_deleted_are_passed_over_and_told_once(int position, int batch) {
        TestNode node = node(saga());
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            ids.add(ended(node, "k" + i));
        }
        List<UUID> stuck = List.of(ids.get(position - 1), ids.get(position));
        store.onPurge = request -> {
            if (!request.ages().isEmpty() && stuck.stream().anyMatch(id -> isIn(request, id))) {
                throw new SagaStoreException("SAGA-DB-003", "something refers to it", Effect.NONE, null);
            }
        };
        Duration minute = Duration.ofMinutes(1);
        RetentionPolicy policy = new RetentionPolicy(Map.of(SagaStatus.COMPLETED, minute), minute, batch);
        try (Logs logs = new Logs();
                SagaRetention retention = SagaRetention.of(node.engine, policy)) {
            retention.start();
            time.run(minute.multipliedBy(5));
            assertThat(ids).filteredOn(id -> memory.find(id).isPresent()).containsExactlyElementsOf(stuck);
            UUID after = ended(node, "after");
            time.run(minute.multipliedBy(5));
            assertThat(memory.find(after)).isEmpty();
            assertThat(logs.warnings())
                    .filteredOn(line -> line.startsWith("SAGA-DB-014"))
                    .hasSize(2)
                    .allMatch(line -> stuck.stream().anyMatch(id -> line.contains(id.toString())))
                    .allMatch(line -> line.contains("something refers to it"));
            assertThat(logs.traces()).as("they may be many").isZero();
            store.onPurge = request -> {};
            time.run(minute.multipliedBy(5));
            assertThat(stuck).allMatch(id -> memory.find(id).isEmpty());
        }
    }

    /** Whether that slice comes to the saga. */
    private boolean isIn(PurgeRequest request, UUID id) {
        UUID last = memory.purge(new PurgeRequest(Map.of(), Set.of(), request.after(), request.limit()))
                .last();
        boolean begun = request.after() == null || request.after().compareTo(id) < 0;
        return memory.find(id).isPresent() && begun && (last == null || id.compareTo(last) <= 0);
    }

    @Test // F010, F053
    void where_nothing_can_be_deleted_it_tries_at_its_pace() {
        assertThat(triesInAnHour(5, 2, request -> true)).isBetween(12, 40);
    }

    @Test // F010, F053
    void where_rows_can_be_read_and_not_deleted_it_tries_some_at_its_pace() {
        assertThat(triesInAnHour(200, 3, request -> !request.ages().isEmpty())).isBetween(20, 600);
    }

    private int triesInAnHour(int sagas, int batch, Predicate<PurgeRequest> refused) {
        TestNode node = node(saga());
        for (int i = 0; i < sagas; i++) {
            ended(node, "k" + i);
        }
        int[] tries = {0};
        store.onPurge = request -> {
            if (refused.test(request)) {
                tries[0]++;
                throw new SagaStoreException("SAGA-DB-003", "not allowed", Effect.NONE, null);
            }
        };
        Duration interval = Duration.ofMinutes(5);
        RetentionPolicy policy = new RetentionPolicy(Map.of(SagaStatus.COMPLETED, interval), interval, batch);
        try (SagaRetention retention = SagaRetention.of(node.engine, policy)) {
            retention.start();
            time.run(Duration.ofHours(1));
        }
        return tries[0];
    }

    @Test
    void a_policy_without_ages_deletes_nothing() {
        TestNode node = node(saga());
        List<String> slices = new ArrayList<>();
        store.onPurge = request -> slices.add("slice");
        SagaRetention.of(node.engine, new RetentionPolicy(Map.of(), Duration.ofHours(1), 100))
                .start();
        time.run(Duration.ofHours(4));
        assertThat(slices).isEmpty();
    }

    @Test
    void values_out_of_range_are_refused() {
        Duration hour = Duration.ofHours(1);
        Map<SagaStatus, Duration> good = Map.of(SagaStatus.COMPLETED, DAY);
        assertRefused("FAILED", () -> new RetentionPolicy(Map.of(SagaStatus.FAILED, DAY), hour, 1));
        assertRefused("RUNNING", () -> new RetentionPolicy(Map.of(SagaStatus.RUNNING, DAY), hour, 1));
        assertRefused("PT59S", () -> RetentionPolicy.keep(Duration.ofSeconds(59)));
        assertRefused("PT-24H", () -> RetentionPolicy.keep(DAY.negated()));
        assertRefused("PT0S", () -> new RetentionPolicy(good, Duration.ZERO, 1));
        assertRefused("0", () -> new RetentionPolicy(good, hour, 0));
        assertRefused("10001", () -> new RetentionPolicy(good, hour, 10_001));
    }

    private static void assertRefused(String shown, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageStartingWith("SAGA-CFG-013")
                .hasMessageContaining(shown);
    }

    @Test
    void a_retention_that_is_closed_during_a_slice_begins_no_other() {
        TestNode asleep = new TestNode(time, store, memory.transactions(), TestNode.tuning(), saga());
        SagaRetention retention = SagaRetention.of(asleep.engine, RetentionPolicy.keep(DAY));
        List<String> slices = new ArrayList<>();
        store.onPurge = request -> {
            slices.add("slice");
            retention.close();
        };
        retention.start();
        time.run(DAY);
        assertThat(slices).hasSize(1);
    }
}
