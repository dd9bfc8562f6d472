package io.backstep.saga.engine;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The client of a node. It exists before the engine runs. */
final class EngineClient implements SagaClient {
    private static final Duration FIRST_LOOK = Duration.ofMillis(25);
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);

    private final Node node;
    private final Transactions transactions;
    private final Cancels cancels;
    private final Signals signals;
    private final Starts starts;
    private final BooleanSupplier running;

    EngineClient(Node node, Operators operators, Starts starts, BooleanSupplier running) {
        this.node = node;
        this.transactions = operators.transactions();
        this.cancels = new Cancels(operators);
        this.signals = new Signals(node, operators);
        this.starts = starts;
        this.running = running;
    }

    @Override
    public <I> SagaInstance start(SagaType<I> type, I input, StartOptions options) {
        if (!running.getAsBoolean()) {
            throw new SagaStartException(
                    Starts.NOT_RUNNING, "the engine is not running; no saga of " + type + " was started");
        }
        return starts.start(type, input, options);
    }

    @Override
    public Optional<SagaInstance> find(UUID sagaId) {
        return node.store.find(sagaId).map(node.views::of);
    }

    @Override
    public Optional<SagaInstance> find(SagaType<?> type, String businessKey) {
        return node.store.find(type.name(), businessKey).map(node.views::of);
    }

    @Override
    public <R> SignalOutcome signal(UUID sagaId, Step<R> step, @Nullable R payload, String messageId) {
        return signals.signal(sagaId, step, payload, messageId);
    }

    @Override
    public <R> SignalOutcome signal(
            SagaType<?> type, String businessKey, Step<R> step, @Nullable R payload, String messageId) {
        return signals.to(type, businessKey, step, sagaId -> signal(sagaId, step, payload, messageId));
    }

    @Override
    public SignalOutcome signalRejected(UUID sagaId, Step<?> step, String code, String message, String messageId) {
        return signals.rejected(sagaId, step, code, message, messageId);
    }

    @Override
    public SignalOutcome signalRejected(
            SagaType<?> type, String businessKey, Step<?> step, String code, String message, String messageId) {
        return signals.to(type, businessKey, step, sagaId -> signalRejected(sagaId, step, code, message, messageId));
    }

    @Override
    public CancelOutcome cancel(UUID sagaId, String reason) {
        return cancels.cancel(sagaId, reason);
    }

    @Override
    public SagaInstance await(UUID sagaId, Duration atMost) {
        if (transactions.isActive()) {
            refuseOwnStart(sagaId);
        }
        long end = node.clock.nanos() + shorter(atMost, StartOptions.LONGEST).toNanos();
        Duration look = FIRST_LOOK;
        while (true) {
            CompletableFuture<Void> signal = node.waiters.add(sagaId);
            try {
                InstanceRow row =
                        outside(sagaId).orElseThrow(() -> new NoSuchElementException("there is no saga " + sagaId));
                long left = end - node.clock.nanos();
                boolean settled = row.status().ended() || row.status() == SagaStatus.FAILED;
                if (settled || left <= 0 || !node.waits.on(signal, shorter(look, Duration.ofNanos(left)))) {
                    return node.views.of(row);
                }
            } finally {
                node.waiters.remove(sagaId, signal);
            }
            look = shorter(look.multipliedBy(2), LONGEST_LOOK);
        }
    }

    /** Seen from inside, but not from outside: the transaction that started it has not committed, and waits for itself. */
    private void refuseOwnStart(UUID sagaId) {
        boolean inside = node.store.find(sagaId).isPresent();
        if (inside && outside(sagaId).isEmpty()) {
            throw new IllegalStateException("SAGA-START-011: saga " + sagaId
                    + " is awaited inside the transaction that started it; commit first");
        }
    }

    /** A transaction of the caller's may see for ever what it has seen first, as REPEATABLE READ does. */
    private Optional<InstanceRow> outside(UUID sagaId) {
        if (!transactions.isActive()) {
            return node.store.find(sagaId);
        }
        try {
            return transactions.inTransaction(() -> node.store.find(sagaId));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
