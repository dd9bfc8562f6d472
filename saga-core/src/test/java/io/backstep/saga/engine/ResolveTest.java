package io.backstep.saga.engine;

import static io.backstep.saga.Resolution.COMPENSATED;
import static io.backstep.saga.Resolution.REJECTED;
import static io.backstep.saga.Resolution.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminAnswer;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaAdminException;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.CompensationEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An operator settles a step by hand, on virtual time. */
class ResolveTest extends ChildFixture {
    private static final AdminRequest ANN = AdminRequest.by("ann", "the bank says so");

    /** Its pivot brings a result that a later step reads. */
    private SagaDefinition<Input> paying() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> call("undo one", 1))
                .compensationRetry(Retry.none())
                .pivot(FIRST)
                .action(c -> {
                    calls.add("pay");
                    throw new IOException("away");
                })
                .retry(Retry.none())
                .retriable("ship")
                .action(c -> calls.add("ship " + c.result(FIRST).text()))
                .build();
    }

    private record Parked(TestNode node, SagaAdmin admin, UUID id) {
        SagaDetail detail() {
            return admin.find(id).orElseThrow();
        }

        SagaDetail.StepLine step(String name) {
            return detail().steps().stream()
                    .filter(step -> step.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Parked parked(SagaDefinition<?>... definitions) {
        TestNode node = node(definitions);
        UUID id = start(node);
        time.run(Duration.ofHours(1));
        return new Parked(node, SagaAdmin.of(node.engine), id);
    }

    private List<AuditEntry> audit(UUID id) {
        return memory.audit(new AuditQuery(id, null, null, 100)).stream()
                .map(AuditRow::entry)
                .toList();
    }

    @Test
    void a_pivot_that_took_effect_is_told_with_its_result() {
        Parked saga = parked(paying());
        assertThat(saga.detail().allowed()).contains(AdminAction.RESOLVE);
        assertThat(saga.step("first").resolutions()).containsExactly(SUCCEEDED, REJECTED);
        assertThat(saga.step("one").resolutions()).isEmpty();

        AdminAnswer answer = saga.admin().resolve(saga.id(), "first", SUCCEEDED, "{\"text\":\"paid\"}", ANN);

        assertThat(answer.action()).isEqualTo(AdminAction.RESOLVE);
        assertThat(answer.before()).isEqualTo("FAILED (PIVOT_UNKNOWN), first UNKNOWN");
        assertThat(answer.after()).isEqualTo("RUNNING, first SUCCEEDED");
        assertThat(end(saga.node(), saga.id()).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("one", "pay", "ship paid");
        assertThat(saga.node().client().find(saga.id()).orElseThrow().result(FIRST))
                .contains(new Answer("paid"));
        assertThat(history(saga.id())).contains("first ACTION 0 SUCCEEDED");
        assertThat(memory.history(saga.id()))
                .anyMatch(row ->
                        "settled by ann: the bank says so".equals(row.entry().errorText()));
        assertThat(audit(saga.id())).hasSize(1);
        assertThat(audit(saga.id()).get(0).action()).isEqualTo("resolve");
        assertThat(audit(saga.id()).get(0).after()).isEqualTo(answer.after());
    }

    @Test
    void a_result_must_fit_the_step() {
        Parked saga = parked(paying());
        for (String wrong : new String[] {null, "null", "7", "{"}) {
            SagaRequestException refused = catchThrowableOfType(
                    SagaRequestException.class, () -> saga.admin().resolve(saga.id(), "first", SUCCEEDED, wrong, ANN));
            assertThat(refused).as("%s", wrong).isNotNull();
            assertThat(refused.code()).isEqualTo("SAGA-REQ-004");
            assertThat(refused.field()).isEqualTo("result");
        }
        assertThatThrownBy(() -> saga.admin().resolve(saga.id(), "first", REJECTED, "{}", ANN))
                .hasMessageContaining("leave it out");
        assertThat(saga.detail().row().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(audit(saga.id())).isEmpty();
    }

    @Test
    void a_pivot_that_had_no_effect_turns_the_saga_and_its_failed_compensation_is_told_to_be_done() {
        Parked saga = parked(paying());
        saga.admin().resolve(saga.id(), "first", REJECTED, null, ANN);
        assertThat(end(saga.node(), saga.id()).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(saga.step("one").resolutions()).containsExactly(COMPENSATED);

        saga.admin().resolve(saga.id(), "one", COMPENSATED, null, ANN);

        assertThat(row(saga.id()).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).containsExactly("one", "pay", "undo one");
        assertThat(saga.detail().compensations())
                .singleElement()
                .satisfies(line -> assertThat(line.entry().status()).isEqualTo(CompensationEntry.Status.SUCCEEDED));
        assertThat(saga.step("one").status()).isEqualTo(StepStatus.COMPENSATED);
    }

    @Test
    void the_same_request_again_has_no_second_effect_and_its_key_is_for_nothing_else() {
        Parked saga = parked(paying());
        AdminRequest keyed = ANN.withKey("click");
        AdminAnswer first = saga.admin().resolve(saga.id(), "first", REJECTED, null, keyed);
        end(saga.node(), saga.id());

        assertThat(saga.admin().resolve(saga.id(), "first", REJECTED, null, keyed))
                .isEqualTo(first);
        assertThatThrownBy(() -> saga.admin().resolve(saga.id(), "one", COMPENSATED, null, keyed))
                .hasMessageStartingWith("SAGA-ADMIN-006");
        assertThat(audit(saga.id())).hasSize(1);
    }

    @Test
    void what_makes_no_sense_is_refused_and_says_what_does() {
        Parked saga = parked(paying());
        SagaAdmin admin = saga.admin();
        assertThatThrownBy(() -> admin.resolve(saga.id(), "one", COMPENSATED, null, ANN))
                .isInstanceOf(SagaAdminException.class)
                .hasMessageStartingWith("SAGA-ADMIN-002: resolve is not possible")
                .hasMessageContaining("step one is SUCCEEDED, of which nothing can be said");
        assertThatThrownBy(() -> admin.resolve(saga.id(), "first", COMPENSATED, null, ANN))
                .hasMessageContaining("step first is UNKNOWN, of which can be said [SUCCEEDED, REJECTED]");
        assertThatThrownBy(() -> admin.resolve(saga.id(), "nothing", SUCCEEDED, null, ANN))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-REQ-004: step is \"nothing\"; allowed is a step of test v1");
        assertThatThrownBy(() -> admin.resolve(new UUID(1, 1), "first", SUCCEEDED, null, ANN))
                .hasMessageStartingWith("SAGA-ADMIN-001");
        assertThatThrownBy(() -> admin.act(AdminAction.RESOLVE, saga.id(), ANN))
                .hasMessageStartingWith("SAGA-REQ-001: step is missing");
        admin.forceComplete(saga.id(), ANN);
        assertThatThrownBy(() -> admin.resolve(saga.id(), "first", REJECTED, null, ANN))
                .hasMessageContaining("it has ended");
        assertThat(audit(saga.id())).hasSize(1);
    }

    @Test
    void an_attempt_under_way_is_not_settled_unless_it_is_broken_off() {
        TestNode[] node = new TestNode[1];
        Throwable[] refused = new Throwable[1];
        node[0] = node(define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step("two")
                .action(c -> {
                    calls.add("two");
                    SagaAdmin admin = SagaAdmin.of(node[0].engine);
                    refused[0] = catchThrowable(() -> admin.resolve(c.sagaId(), "two", REJECTED, null, ANN));
                    admin.resolve(c.sagaId(), "two", REJECTED, null, ANN.forced());
                })
                .compensate(c -> calls.add("undo two"))
                .build());
        UUID id = start(node[0]);

        assertThat(end(node[0], id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(refused[0]).hasMessageStartingWith("SAGA-ADMIN-003: resolve");
        assertThat(calls).containsExactly("one", "two", "undo one");
        assertThat(history(id)).contains("two ACTION 1 ABANDONED", "two ACTION 0 REJECTED");
        assertThat(audit(id))
                .singleElement()
                .satisfies(entry -> assertThat(entry.forced()).isTrue());
    }

    @Test
    void a_parent_whose_child_was_ended_by_hand_goes_on_as_an_operator_says() {
        Parked saga = parked(parent().build(), slowChild());
        assertThat(saga.step("ship").resolutions()).isEmpty();
        assertThatThrownBy(() -> saga.admin().resolve(saga.id(), "ship", REJECTED, null, ANN))
                .hasMessageContaining("that has to end first, and tells it");

        saga.admin().forceComplete(childOf(saga.id()), ANN);

        assertThat(saga.detail().why()).contains("resolve step ship");
        assertThat(saga.step("ship").resolutions()).containsExactly(SUCCEEDED, REJECTED);
        saga.admin().resolve(saga.id(), "ship", SUCCEEDED, "{\"text\":\"sent\"}", ANN);
        assertThat(end(saga.node(), saga.id()).result(SHIP)).contains(new Answer("sent"));
        assertThat(row(saga.id()).status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void a_parent_on_its_way_back_whose_child_was_ended_by_hand_goes_on() {
        Parked saga = parked(parent().build(), slowChild());
        saga.admin().forceComplete(childOf(saga.id()), ANN);
        saga.admin().cancel(saga.id(), ANN);
        time.run(Duration.ofMinutes(1));
        assertThat(row(saga.id()).status()).isEqualTo(SagaStatus.COMPENSATING);

        saga.admin().resolve(saga.id(), "ship", REJECTED, null, ANN);

        assertThat(end(saga.node(), saga.id()).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls).contains("undo one");
    }
}
