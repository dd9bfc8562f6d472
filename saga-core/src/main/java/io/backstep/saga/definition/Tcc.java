package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaType;

/**
 * The entrance to pure TCC: a saga whose tries run side by side; when all have succeeded every one is confirmed, else every one is
 * cancelled.
 *
 * <pre>{@code
 * SagaDefinition<BookTrip> trip = Tcc.define(TYPE)
 *         .tcc(FLIGHT)
 *             .tryAction(c -> flights.hold(c.idempotencyKey(), c.input()))
 *             .confirm((c, seat) -> flights.book(c.idempotencyKey(), seat))
 *             .cancel((c, seat) -> flights.release(c.idempotencyKey()))
 *         .tcc(HOTEL)
 *             .tryAction(c -> hotels.hold(c.idempotencyKey(), c.input()))
 *             .confirm((c, room) -> hotels.book(c.idempotencyKey(), room))
 *             .cancel((c, room) -> hotels.release(c.idempotencyKey()))
 *         .build();
 * }</pre>
 */
public final class Tcc {
    private Tcc() {}

    /**
     * Begins a definition in which every TCC step that says nothing of its place begins with the saga, as if it said
     * {@link PlacementStage#afterStart()}. Steps of other kinds wait, as in {@link Saga#define}, for all that are declared before them.
     *
     * @param type the name of the saga and the type of its input
     * @param <I> the input of the saga
     * @return the definition, which needs steps
     * @throws SagaDefinitionException {@code SAGA-DSL-001} when the type is null
     */
    public static <I> SagaStage<I> define(SagaType<I> type) {
        return new SagaBuilder<>(type, true);
    }
}
