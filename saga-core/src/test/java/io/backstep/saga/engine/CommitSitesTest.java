package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each place where something is committed: what follows when the commit is lost (F3), its answer is lost (F4), or it was a deadlock. G11. */
class CommitSitesTest extends EngineFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "because").withKey("r1");

    private final FaultyTransactions transactions = new FaultyTransactions(memory.transactions());
    private int compensationFailures;

    private SagaDefinition<Input> definition() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .transactional()
                .action(c -> calls.add("two"))
                .compensate(c -> calls.add("undo two"))
                .build();
    }

    private SagaDefinition<Input> waiting() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> call("two", 1))
                .compensate(c -> calls.add("undo two"))
                .retry(Retry.fixed(Duration.ofHours(2)).maxAttempts(3))
                .build();
    }

    private TestNode nodeWith(SagaDefinition<?> definition) {
        return new TestNode(time, store, transactions, TestNode.tuning(), definition);
    }

    // --- register

    @ParameterizedTest // F17, F13
    @EnumSource(names = {"DEADLOCK"})
    void registering_is_repeated_after_a_deadlock(Fault fault) {
        store.next(Call.REGISTER, fault, fault);
        TestNode node = node(definition());
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(store.exhausted()).isTrue();
    }

    @ParameterizedTest // F3, F4
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT"})
    void registering_in_doubt_is_told_and_the_engine_can_be_started_again(Fault fault) {
        TestNode node = nodeWith(definition());
        store.next(Call.REGISTER, fault);
        assertThatThrownBy(node.engine::start).isInstanceOf(SagaStoreException.class);
        node.started();
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    // --- insert

    @Test // F3, F4
    void a_start_that_was_in_doubt_stays_so_also_when_later_tries_are_certainly_not_applied() throws Exception {
        TestNode node = node(definition());
        store.next(Call.INSERT, Fault.APPLIED_IN_DOUBT);
        time.timer(() -> true).after(Duration.ofMillis(1), () -> store.away = true);
        SagaStoreException told =
                catchThrowableOfType(SagaStoreException.class, () -> onAnotherThread(() -> start(node)));
        assertThat(told.code()).isEqualTo("SAGA-DB-005");
        assertThat(told.effect()).isEqualTo(Effect.UNKNOWN);
        store.away = false;
        UUID id = memory.list(new ListQuery(null, "test", null, null, null, null, null, 9))
                .get(0)
                .sagaId();
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two");
    }

    @Test // F17, F022
    void a_start_that_was_a_deadlock_is_repeated() throws Exception {
        TestNode node = node(definition());
        store.next(Call.INSERT, Fault.DEADLOCK, Fault.DEADLOCK);
        UUID id = onAnotherThread(() -> start(node));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two");
    }

    @ParameterizedTest // F3, F4
    @EnumSource(names = {"APPLIED_IN_DOUBT", "LOST_IN_DOUBT"})
    void a_joined_start_lives_or_dies_with_the_transaction_of_the_caller(Fault fault) {
        TestNode node = nodeWith(definition()).started();
        transactions.next(fault);
        assertThatThrownBy(() -> transactions.inTransaction(() -> node.client()
                        .start(TYPE, INPUT, StartOptions.businessKey("k"))
                        .sagaId()))
                .isInstanceOf(SagaStoreException.class);
        time.run(Duration.ofSeconds(10));
        if (fault == Fault.APPLIED_IN_DOUBT) {
            UUID id = memory.find("test", "k").orElseThrow().sagaId();
            assertThat(row(id).status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(node.client()
                            .start(TYPE, INPUT, StartOptions.businessKey("k"))
                            .sagaId())
                    .isEqualTo(id);
            assertThat(calls).containsExactly("one", "two");
        } else {
            assertThat(memory.find("test", "k")).isEmpty();
            assertThat(calls).isEmpty();
        }
    }

    // --- submit, work, claims, recovery, sweep

    @ParameterizedTest // F022, F17
    @EnumSource(
            value = Call.class,
            names = {"SUBMIT", "CLAIM", "RENEW", "SWEEP", "TRANSACTION"})
    void a_deadlock_is_repeated_and_nothing_is_said_of_an_outage(Call call) {
        try (Logs logs = new Logs()) {
            store.next(call, Fault.DEADLOCK, Fault.DEADLOCK, Fault.DEADLOCK);
            TestNode node = node(definition());
            UUID id = start(node);
            assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
            time.run(Duration.ofSeconds(20));
            assertThat(calls).containsExactly("one", "two");
            assertThat(history(id)).hasSize(3);
            assertThat(logs.warnings()).isEmpty();
            assertThat(node.engine.status().storeReachable()).isTrue();
        }
    }

    @Test // F022, F17
    void a_recovery_that_was_a_deadlock_is_repeated() {
        TestNode node = node(definition());
        store.next(Call.SUBMIT, Fault.LOST_IN_DOUBT);
        store.next(Call.RECOVER, Fault.DEADLOCK, Fault.DEADLOCK);
        assertThat(end(node, start(node)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two");
    }

    @ParameterizedTest // F3, F4
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK"})
    void a_single_claim_that_fails_is_left_to_the_poll(Fault fault) throws Exception {
        TestNode node = node(definition());
        store.next(Call.CLAIM_ONE, fault);
        UUID id = memory.transactions().inTransaction(() -> start(node));
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "two");
        assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(fault == Fault.APPLIED_IN_DOUBT ? 13 : 3));
    }

    @ParameterizedTest // F3, F4
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK", "THROWN"})
    void a_sweep_that_fails_is_made_again_and_loses_no_mail(Fault fault) {
        TestNode node = node(waiting());
        UUID id = start(node);
        time.run(Duration.ofSeconds(30));
        post(id);
        store.next(Call.SWEEP, fault);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(store.exhausted()).isTrue();
    }

    private void post(UUID id) {
        try {
            memory.transactions().inTransaction(() -> memory.post(new Mail(id, "cancel", Mail.Kind.CANCEL, "because")));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    // --- mail

    @ParameterizedTest // F3, F4, F17
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK"})
    void a_wish_to_cancel_is_posted_or_not_and_may_be_repeated(Fault fault) {
        TestNode node = nodeWith(waiting()).started();
        UUID id = start(node);
        time.run(Duration.ofSeconds(30));
        transactions.next(fault);
        if (fault == Fault.DEADLOCK) {
            assertThat(node.client().cancel(id, "because")).isEqualTo(CancelOutcome.ACCEPTED);
        } else {
            SagaStoreException told = catchThrowableOfType(
                    SagaStoreException.class, () -> node.client().cancel(id, "because"));
            assertThat(told.effect()).isEqualTo(fault == Fault.REFUSED_CONNECTION ? Effect.NONE : Effect.UNKNOWN);
            Inspected seen = memory.inspect(id).orElseThrow();
            assertThat(seen.mail()).hasSize(fault == Fault.APPLIED_IN_DOUBT ? 1 : 0);
            assertThat(node.client().cancel(id, "because")).isEqualTo(CancelOutcome.ACCEPTED);
        }
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsOnlyOnce("undo one");
    }

    // --- an operator's write and its audit

    @ParameterizedTest // F3, F4, F17
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK"})
    void an_operators_write_and_its_audit_are_both_there_or_neither_and_the_same_request_is_safe(Fault fault) {
        TestNode node = nodeWith(waiting()).started();
        SagaAdmin admin = SagaAdmin.of(node.engine);
        UUID id = start(node);
        time.run(Duration.ofSeconds(30));
        transactions.next(fault);
        if (fault != Fault.DEADLOCK) {
            SagaStoreException told =
                    catchThrowableOfType(SagaStoreException.class, () -> admin.forceComplete(id, ANN));
            assertThat(told.effect()).isEqualTo(fault == Fault.REFUSED_CONNECTION ? Effect.NONE : Effect.UNKNOWN);
            boolean applied = row(id).status() == SagaStatus.FORCE_COMPLETED;
            assertThat(applied).isEqualTo(fault == Fault.APPLIED_IN_DOUBT);
            assertThat(audits(id)).isEqualTo(applied ? 1 : 0);
        }
        admin.forceComplete(id, ANN);
        assertThat(row(id).status()).isEqualTo(SagaStatus.FORCE_COMPLETED);
        assertThat(audits(id)).isEqualTo(1);
        assertThat(transactions.exhausted()).isTrue();
    }

    private int audits(UUID id) {
        return memory.audit(new AuditQuery(id, null, null, 10)).size();
    }

    // --- purge

    @ParameterizedTest // F3, F4, F17
    @EnumSource(names = {"REFUSED_CONNECTION", "APPLIED_IN_DOUBT", "LOST_IN_DOUBT", "DEADLOCK"})
    void a_slice_whose_purge_is_in_doubt_is_walked_again_quietly(Fault fault) {
        TestNode node = node(definition());
        UUID id = start(node);
        end(node, id);
        time.pass(Duration.ofDays(2));
        try (Logs logs = new Logs()) {
            store.next(Call.PURGE, fault);
            SagaRetention retention = SagaRetention.of(node.engine, RetentionPolicy.keep(Duration.ofDays(1)));
            retention.start();
            time.runUntil(() -> store.count(Call.PURGE) == 2);
            assertThat(memory.find(id)).isEmpty();
            assertThat(logs.warnings()).isEmpty();
            retention.close();
        }
    }
}
