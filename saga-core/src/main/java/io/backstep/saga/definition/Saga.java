package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;

/**
 * The entrance to the DSL.
 *
 * <pre>{@code
 * SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
 *         .step(RESERVE)
 *             .action(c -> inventory.reserve(c.idempotencyKey(), c.input().sku()))
 *             .compensate((c, reservation) -> inventory.release(c.idempotencyKey()))
 *         .pivot("confirm-order").transactional()
 *             .action(c -> orders.confirm(c.sagaId()))
 *         .deadline(Duration.ofMinutes(10))
 *         .build();
 * }</pre>
 */
public final class Saga {
    private Saga() {}

    /**
     * Begins a definition.
     *
     * @param type the name of the saga and the type of its input
     * @param <I> the input of the saga
     * @return the definition, which needs steps
     * @throws SagaDefinitionException {@code SAGA-DSL-001} when the type is null
     */
    public static <I> SagaStage<I> define(SagaType<I> type) {
        return new SagaBuilder<>(type, false);
    }
}
