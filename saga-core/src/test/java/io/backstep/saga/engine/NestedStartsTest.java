package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sagas that are started by a step. */
class NestedStartsTest extends EngineFixture {
    private static final SagaType<Integer> CHILD = SagaType.named("child", Integer.class);
    private static final SagaType<Integer> PONG = SagaType.named("pong", Integer.class);
    private static final StartOptions KEY = StartOptions.businessKey("k");

    private TestNode node;

    private SagaInstance start(Input input, StartOptions options) {
        return node.client().start(TYPE, input, options);
    }

    private SagaDefinition<Input> definition(boolean transactional, Function<StepContext<?>, StartOptions> same) {
        var step = define().step("one");
        var action = transactional ? step.transactional() : step;
        return action.action(c -> {
                    calls.add(
                            "the same: " + start(INPUT, same.apply(c)).sagaId().equals(c.sagaId()));
                    assertThatThrownBy(() -> start(new Input("other"), same.apply(c)))
                            .isInstanceOfSatisfying(
                                    SagaStartException.class,
                                    refused -> assertThat(refused.code()).isEqualTo("SAGA-START-002"));
                })
                .noCompensation("it writes nothing")
                .build();
    }

    @ParameterizedTest // D22
    @ValueSource(booleans = {false, true})
    void a_step_that_starts_its_own_saga_gets_it_or_is_refused(boolean transactional) {
        node = node(definition(transactional, c -> KEY));

        ends(start(INPUT, KEY).sagaId());
    }

    @ParameterizedTest // D22
    @ValueSource(booleans = {false, true})
    void a_step_that_starts_its_own_id_gets_its_own_saga_or_is_refused(boolean transactional) {
        node = node(definition(transactional, c -> StartOptions.none().sagaId(c.sagaId())));

        ends(start(node));
    }

    private void ends(UUID id) {
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("the same: true");
        assertThat(rows()).hasSize(1);
    }

    /** The one of this number has so many below it. */
    private SagaDefinition<Integer> countdown() {
        return Saga.define(CHILD)
                .step("count")
                .action(c -> calls.add("" + c.input()))
                .compensate(c -> calls.add("undo " + c.input()))
                .step("below")
                .onlyIf(c -> c.input() > 0)
                .startSaga(CHILD, c -> c.input() - 1)
                .build();
    }

    private static List<String> numbers(String before, int from, int to) {
        int step = Integer.signum(to - from);
        return IntStream.rangeClosed(0, Math.abs(to - from))
                .mapToObj(i -> before + (from + i * step))
                .toList();
    }

    @ParameterizedTest // D22; a root may have an id that looks like a child's
    @ValueSource(strings = {"01890a5d-ac96-7000-8000-000000000001", "01890a5d-ac96-8f00-8000-000000000001"})
    void a_saga_may_start_its_own_type_as_a_child_for_16_generations(String root) {
        node = node(countdown());
        UUID id = UUID.fromString(root);
        node.client().start(CHILD, 15, StartOptions.none().sagaId(id));

        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPLETED);

        assertThat(calls).containsExactlyElementsOf(numbers("", 15, 0));
        assertThat(rows()).hasSize(16).allMatch(row -> row.status() == SagaStatus.COMPLETED);
    }

    @Test // D22
    void the_17th_generation_is_refused_and_what_was_done_is_undone() {
        node = node(countdown());
        UUID id = node.client().start(CHILD, 16).sagaId();

        refused(end(node, id));

        List<String> all = new ArrayList<>(numbers("", 16, 1));
        all.addAll(numbers("undo ", 1, 16));
        assertThat(calls).containsExactlyElementsOf(all);
    }

    @Test // D22
    void sagas_that_start_each_other_without_end_are_refused_in_the_17th_generation() {
        SagaDefinition<Integer> ping =
                Saga.define(CHILD).step("pong").startSaga(PONG, c -> 1).build();
        SagaDefinition<Integer> pong =
                Saga.define(PONG).step("ping").startSaga(CHILD, c -> 1).build();
        node = node(ping, pong);

        refused(end(node, node.client().start(CHILD, 1).sagaId()));
    }

    private void refused(SagaInstance root) {
        assertThat(root.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(root.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(rows()).hasSize(16).allMatch(row -> row.status() == SagaStatus.COMPENSATED);
        assertThat(rows().stream().flatMap(row -> memory.history(row.sagaId()).stream()))
                .filteredOn(line -> "SAGA-STEP-004".equals(line.entry().errorCode()))
                .singleElement()
                .satisfies(line -> assertThat(line.entry().errorText()).contains("16 are allowed"));
    }
}
