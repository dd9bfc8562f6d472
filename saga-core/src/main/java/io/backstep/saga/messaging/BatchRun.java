package io.backstep.saga.messaging;

import io.backstep.saga.Alert;
import io.backstep.saga.Shown;
import io.backstep.saga.Thrown;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.messaging.OutboxMark.Kind;
import io.backstep.saga.time.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one batch. The messages of an aggregate go one after another, each when the broker has confirmed the one before; those of different
 * aggregates go side by side. When nothing is under way any more, all that became of them is recorded at once.
 */
final class BatchRun {
    private static final Logger log = LoggerFactory.getLogger(BatchRun.class);
    private static final int LONGEST_ERROR = 1000;
    private static final Duration BEFORE_SETTLING_AGAIN = Duration.ofMillis(500);

    private record Failure(OutboxRow row, Throwable cause, OutboxMark mark) {}

    private final RelayPorts ports;
    private final OutboxBatch batch;
    private final long claimedAt;
    private final BooleanSupplier running;
    private final Runnable over;
    private final Queue<OutboxMark> marks = new ConcurrentLinkedQueue<>();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();

    /** The lease counts from before the claim was sent. */
    BatchRun(RelayPorts ports, OutboxBatch batch, long claimedAt, BooleanSupplier running, Runnable over) {
        this.ports = ports;
        this.batch = batch;
        this.claimedAt = claimedAt;
        this.running = running;
        this.over = over;
    }

    void begin() {
        Collection<Queue<OutboxRow>> chains = chains();
        open.set(chains.size() + 1);
        chains.forEach(this::goOn);
        oneLess();
    }

    private Collection<Queue<OutboxRow>> chains() {
        Map<List<String>, Queue<OutboxRow>> byAggregate = new LinkedHashMap<>();
        for (OutboxRow row : batch.rows()) {
            List<String> key =
                    List.of(row.message().aggregateType(), row.message().aggregateId());
            byAggregate.computeIfAbsent(key, unused -> new ArrayDeque<>()).add(row);
        }
        return byAggregate.values();
    }

    /** Sends what is left of an aggregate, up to the first that is not confirmed. */
    private void goOn(Queue<OutboxRow> chain) {
        while (maySend() && !chain.isEmpty()) {
            OutboxRow row = chain.remove();
            CompletableFuture<?> sent = send(row);
            if (!sent.isDone()) {
                sent.whenComplete((answer, failure) -> {
                    if (record(row, failure)) {
                        goOn(chain);
                    } else {
                        oneLess();
                    }
                });
                return;
            }
            if (!record(row, failure(sent))) {
                break;
            }
        }
        oneLess();
    }

    /** What is sent in the first half of the lease is answered, or given up, well before its end. */
    private boolean maySend() {
        long age = ports.clock().nanos() - claimedAt;
        return running.getAsBoolean() && age <= ports.settings().lease().toNanos() / 2;
    }

    private CompletableFuture<?> send(OutboxRow row) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        try {
            ports.broker().send(row.id(), row.message()).whenComplete((done, failure) -> {
                if (failure == null) {
                    answer.complete(row);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
        if (!answer.isDone()) {
            Duration limit = ports.settings().sendTimeout();
            Timer.Scheduled timeout = ports.timer()
                    .after(
                            limit,
                            () -> answer.completeExceptionally(new TimeoutException(
                                    "the broker has not confirmed it within " + limit.toMillis() + " ms")));
            answer.whenComplete((done, failure) -> timeout.cancel());
        }
        return answer;
    }

    private static @Nullable Throwable failure(CompletableFuture<?> done) {
        return done.handle((answer, failure) -> failure).getNow(null);
    }

    /** Whether it is confirmed. */
    private boolean record(OutboxRow row, @Nullable Throwable failure) {
        if (failure == null) {
            marks.add(new OutboxMark(row.position(), Kind.SENT, row.failures(), null, null));
            return true;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        OutboxMark mark = mark(row, cause);
        marks.add(mark);
        failures.add(new Failure(row, cause, mark));
        return false;
    }

    private OutboxMark mark(OutboxRow row, Throwable cause) {
        Retry retry = ports.settings().retry();
        int count = row.failures() + 1;
        String error = Shown.line(cause.getClass().getSimpleName() + ": " + Thrown.message(cause), LONGEST_ERROR);
        boolean never = cause instanceof MessageRefusedException || retry.rejects(cause) || !retry.retries(cause);
        return never || retry.spent(count)
                ? new OutboxMark(row.position(), Kind.FAILED, count, null, error)
                : new OutboxMark(
                        row.position(),
                        Kind.RETRY,
                        count,
                        retry.delay(count, ports.randomness().next()),
                        error);
    }

    private void oneLess() {
        if (open.decrementAndGet() == 0) {
            onStoreThread(this::settle);
        }
    }

    private void onStoreThread(Runnable call) {
        try {
            ports.executor().execute(call);
        } catch (RejectedExecutionException e) {
            over.run(); // when the lease is over, they are sent again
        }
    }

    private void settle() {
        boolean mine;
        try {
            mine = ports.store().settle(batch, List.copyOf(marks));
        } catch (Throwable e) {
            settleAgain(e);
            return;
        }
        if (mine) {
            tellAll();
        } else {
            log.warn(
                    "SAGA-OUT-005: lane {} of the outbox was taken over before {} messages could be marked; they are sent again",
                    batch.lane(),
                    marks.size());
        }
        over.run();
    }

    /** Safe whether it was done or not, as long as the lane is nobody else's. */
    private void settleAgain(Throwable failure) {
        long age = ports.clock().nanos() - claimedAt;
        if (age <= ports.settings().lease().toNanos()) {
            ports.timer().after(BEFORE_SETTLING_AGAIN, () -> onStoreThread(this::settle));
            return;
        }
        log.warn(
                "SAGA-OUT-005: {} messages of the outbox could not be marked before the lease was over; they are sent again: {}",
                marks.size(),
                Shown.line(String.valueOf(Thrown.message(failure)), LONGEST_ERROR));
        over.run();
    }

    private void tellAll() {
        int sent = marks.size() - failures.size();
        if (sent > 0) {
            tell(ports.listeners(), listener -> listener.sent(sent));
        }
        failures.forEach(failure -> {
            if (failure.mark().kind() == Kind.FAILED) {
                tellOfFailed(failure);
            } else {
                log.debug(
                        "message {} is sent again: {}",
                        failure.row().id(),
                        failure.mark().error());
                tell(ports.listeners(), listener -> listener.retried(failure.row(), failure.cause()));
            }
        });
    }

    private void tellOfFailed(Failure failure) {
        OutboxRow row = failure.row();
        log.error(
                "SAGA-ALERT-003: message {}, {}, could not be sent, and holds back what is behind it: {}",
                row.id(),
                row.message(),
                failure.mark().error());
        tell(ports.listeners(), listener -> listener.failed(row, failure.cause()));
        Alert alert = new Alert(
                "SAGA-ALERT-003",
                row.id(),
                row.message().aggregateType(),
                null,
                null,
                "message " + row.message() + " could not be sent after "
                        + failure.mark().failures()
                        + " attempts, and holds back what is behind it: "
                        + failure.mark().error());
        tell(ports.alertListeners(), listener -> listener.onAlert(alert));
    }

    private static <L> void tell(List<L> listeners, Consumer<L> what) {
        for (L listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable e) {
                log.error("SAGA-ENGINE-002: a listener failed; the relay goes on", e);
            }
        }
    }
}
