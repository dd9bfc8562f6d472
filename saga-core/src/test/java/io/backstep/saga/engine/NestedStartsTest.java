package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sagas that are started by a step. */
class NestedStartsTest extends EngineFixture {
    private TestNode node;

    private SagaInstance start(Input input) {
        return node.client().start(TYPE, input, StartOptions.businessKey("k"));
    }

    private SagaDefinition<Input> definition(boolean transactional) {
        var step = define().step("one");
        var action = transactional ? step.transactional() : step;
        return action.action(c -> {
                    calls.add("the same: " + start(INPUT).sagaId().equals(c.sagaId()));
                    assertThatThrownBy(() -> start(new Input("other")))
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
        node = node(definition(transactional));

        UUID id = start(INPUT).sagaId();
        SagaInstance saga = end(node, id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("the same: true");
    }
}
