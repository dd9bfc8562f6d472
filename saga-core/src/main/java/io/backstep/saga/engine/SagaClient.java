package io.backstep.saga.engine;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
     * Tells a saga what one of its steps waits for. Inside a transaction of the caller's it joins it: the signal exists when that
     * commits. Never waits for the saga. Of several signals for a step the first one counts.
     *
     * @param sagaId its id
     * @param step the step that waits, see {@code awaitSignal}
     * @param payload the result of the step, or null for none
     * @param messageId tells this message from others to the saga, 1 to 190 characters: sent again with the same id it has no effect
     * @param <R> the result of the step
     * @return what became of it
     * @throws io.backstep.saga.SagaRequestException {@code SAGA-REQ-001} the message id is missing, blank or too long,
     *     {@code SAGA-REQ-002} the transaction is read-only, {@code SAGA-REQ-006} the saga has no such step that waits for a signal,
     *     {@code SAGA-REQ-007} the step waits for another type
     * @throws io.backstep.saga.SagaSerializationException when the payload cannot be stored
     */
    <R> SignalOutcome signal(UUID sagaId, Step<R> step, @Nullable R payload, String messageId);

    /**
     * Tells the saga of a business key what one of its steps waits for, see {@link #signal(UUID, Step, Object, String)}.
     *
     * @param type its type
     * @param businessKey its key
     * @param step the step that waits
     * @param payload the result of the step, or null for none
     * @param messageId tells this message from others
     * @param <R> the result of the step
     * @return what became of it
     */
    <R> SignalOutcome signal(SagaType<?> type, String businessKey, Step<R> step, @Nullable R payload, String messageId);

    /**
     * Tells a saga that what one of its steps waits for was refused: a business no, as if an action had thrown
     * {@link io.backstep.saga.StepRejectedException}. Else as {@link #signal(UUID, Step, Object, String)}.
     *
     * @param sagaId its id
     * @param step the step that waits
     * @param code of the refusal, 1 to 200 characters and not blank
     * @param message why, for people, 1 to 500 characters and not blank
     * @param messageId tells this message from others
     * @return what became of it
     */
    SignalOutcome signalRejected(UUID sagaId, Step<?> step, String code, String message, String messageId);

    /**
     * Tells the saga of a business key of a refusal, see {@link #signalRejected(UUID, Step, String, String, String)}.
     *
     * @param type its type
     * @param businessKey its key
     * @param step the step that waits
     * @param code of the refusal
     * @param message why, for people
     * @param messageId tells this message from others
     * @return what became of it
     */
    SignalOutcome signalRejected(
            SagaType<?> type, String businessKey, Step<?> step, String code, String message, String messageId);

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
