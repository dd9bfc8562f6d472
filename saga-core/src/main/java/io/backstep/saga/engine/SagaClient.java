package io.backstep.saga.engine;

import io.backstep.saga.SagaType;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Starts sagas and reads them. Safe for use by many threads. */
public interface SagaClient {
    /**
     * Starts a saga of the highest registered version. Inside a transaction of the caller's it joins it: the saga exists when that
     * commits, and nothing is called before. Else it is durable when this returns.
     *
     * @param type what to start
     * @param input its input
     * @param <I> its input
     * @return the saga, or the one that the business key or id already has
     * @throws io.backstep.saga.SagaStartException {@code SAGA-START-002} another input under the same key or id; {@code SAGA-START-001}
     *     a key or id that exists and that the isolation of the caller's transaction hides; {@code SAGA-START-006} the engine is not
     *     running; {@code SAGA-START-007} no such definition; {@code SAGA-START-008} the transaction is read-only;
     *     {@code SAGA-START-012} the engine was closed meanwhile: the saga may exist
     * @throws io.backstep.saga.SagaSerializationException when the input cannot be stored
     */
    default <I> SagaInstance start(SagaType<I> type, I input) {
        return start(type, input, StartOptions.none());
    }

    /**
     * Starts a saga, see {@link #start(SagaType, Object)}.
     *
     * @param type what to start
     * @param input its input
     * @param options how
     * @param <I> its input
     * @return the saga
     */
    <I> SagaInstance start(SagaType<I> type, I input, StartOptions options);

    /**
     * Starts a saga of exactly this definition, which must be registered; see {@link #start(SagaType, Object)}.
     *
     * @param definition what to start
     * @param input its input
     * @param <I> its input
     * @return the saga
     */
    default <I> SagaInstance start(SagaDefinition<I> definition, I input) {
        return start(definition.type(), input, StartOptions.none().version(definition.version()));
    }

    /**
     * Finds a saga.
     *
     * @param sagaId its id
     * @return the saga, or empty
     */
    Optional<SagaInstance> find(UUID sagaId);

    /**
     * Finds a saga.
     *
     * @param type its type
     * @param businessKey its key
     * @return the saga, or empty
     */
    Optional<SagaInstance> find(SagaType<?> type, String businessKey);

    /**
     * Asks for a saga to be cancelled: what may have taken effect is undone, as soon as its running attempt has ended. Inside a
     * transaction of the caller's it joins it: the wish exists when that commits. Never waits for the saga.
     *
     * @param sagaId its id
     * @param reason why, for people, 1 to 500 characters and not blank; it goes into the history
     * @return what became of the wish; asking again is harmless
     * @throws io.backstep.saga.SagaRequestException {@code SAGA-REQ-001} the reason is missing, blank or too long, {@code SAGA-REQ-002}
     *     the transaction is read-only
     */
    CancelOutcome cancel(UUID sagaId, String reason);

    /**
     * Waits until a saga has ended or is parked. Never throws for time.
     *
     * @param sagaId its id
     * @param atMost how long to wait
     * @return the saga as it is then: {@link SagaInstance#ended()} is false when it is parked or the time is up
     * @throws IllegalStateException inside the transaction that started it, which nobody else can see
     * @throws java.util.NoSuchElementException when there is no such saga
     */
    SagaInstance await(UUID sagaId, Duration atMost);
}
