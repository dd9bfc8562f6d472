package io.backstep.saga.spring;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.engine.CancelOutcome;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.engine.StartOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The client of an application that may start without its database: until then a start is refused as it is in any later outage. */
final class PatientClient implements SagaClient {
    private final SagaClient client;
    private final FirstContact contact;

    PatientClient(SagaClient client, FirstContact contact) {
        this.client = client;
        this.contact = contact;
    }

    @Override
    public <I> SagaInstance start(SagaType<I> type, I input, StartOptions options) {
        contact.refuseWhileWaiting("SAGA-DB-015", "no saga of " + type + " was started");
        return client.start(type, input, options);
    }

    @Override
    public Optional<SagaInstance> find(UUID sagaId) {
        return client.find(sagaId);
    }

    @Override
    public Optional<SagaInstance> find(SagaType<?> type, String businessKey) {
        return client.find(type, businessKey);
    }

    @Override
    public <R> SignalOutcome signal(UUID sagaId, Step<R> step, @Nullable R payload, String messageId) {
        return client.signal(sagaId, step, payload, messageId);
    }

    @Override
    public <R> SignalOutcome signal(
            SagaType<?> type, String businessKey, Step<R> step, @Nullable R payload, String messageId) {
        return client.signal(type, businessKey, step, payload, messageId);
    }

    @Override
    public SignalOutcome signalRejected(UUID sagaId, Step<?> step, String code, String message, String messageId) {
        return client.signalRejected(sagaId, step, code, message, messageId);
    }

    @Override
    public SignalOutcome signalRejected(
            SagaType<?> type, String businessKey, Step<?> step, String code, String message, String messageId) {
        return client.signalRejected(type, businessKey, step, code, message, messageId);
    }

    @Override
    public CancelOutcome cancel(UUID sagaId, String reason) {
        return client.cancel(sagaId, reason);
    }

    @Override
    public SagaInstance await(UUID sagaId, Duration atMost) {
        return client.await(sagaId, atMost);
    }
}
