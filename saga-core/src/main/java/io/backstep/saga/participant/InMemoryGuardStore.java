package io.backstep.saga.participant;

import io.backstep.saga.Shown;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.SagaStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reference store of the participant guard: rows in memory, for tests. Nothing survives the process. */
public final class InMemoryGuardStore implements GuardStore {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final String DEADLOCK = "SAGA-DB-902";

    private record Lock(String operationId) {}

    private record Row(GuardRow row, @Nullable Instant busyUntil, Instant changedAt) {
        boolean isFree(Instant now) {
            return busyUntil == null || busyUntil.isBefore(now);
        }
    }

    private record Written(Object transaction, Row row) {}

    private final InMemoryTransactions transactions;
    private final Supplier<Instant> clock;
    private final Map<String, Row> committed = new ConcurrentHashMap<>();
    /** Of transactions that are not over: each keeps the locks of its rows. */
    private final Map<String, Written> written = new ConcurrentHashMap<>();

    /**
     * Makes an empty store.
     *
     * @param transactions those that it takes part in
     * @param clock the database clock
     */
    public InMemoryGuardStore(InMemoryTransactions transactions, Supplier<Instant> clock) {
        this.transactions = transactions;
        this.clock = clock;
    }

    @Override
    public GuardRow action(GuardCall call) {
        Instant now = clock.get();
        return take(call, now, row -> row.row().state() == GuardState.STARTED && row.isFree(now));
    }

    @Override
    public GuardRow compensation(GuardCall call) {
        Instant now = clock.get();
        return take(call, now, row -> switch (row.row().state()) {
            case DONE -> true;
            case STARTED, COMPENSATING -> row.isFree(now);
            case CANCELLED, COMPENSATED, CONFIRMING, CONFIRMED -> false;
        });
    }

    @Override
    public GuardRow confirmation(GuardCall call) {
        Instant now = clock.get();
        return take(call, now, row -> switch (row.row().state()) {
            case DONE -> true;
            case CONFIRMING -> row.isFree(now);
            case STARTED, CANCELLED, COMPENSATING, COMPENSATED, CONFIRMED -> false;
        });
    }

    private GuardRow take(GuardCall call, Instant now, Predicate<Row> free) {
        Object transaction = lock(call.operationId());
        Row there = find(transaction, call.operationId());
        if (there != null && !(there.row().operation().equals(call.operation()) && free.test(there))) {
            return there.row();
        }
        GuardRow row = new GuardRow(
                call.operation(),
                there == null ? call.whenNew() : call.whenTaken(),
                call.token(),
                there == null ? null : there.row().result());
        Duration limit = call.limit();
        write(transaction, call.operationId(), new Row(row, limit == null ? null : now.plus(limit), now));
        return row;
    }

    @Override
    public boolean settle(String operationId, UUID token, GuardState from, GuardState to, @Nullable String result) {
        Object transaction = lock(operationId);
        Row there = find(transaction, operationId);
        if (there == null || there.row().state() != from || !there.row().token().equals(token)) {
            return false;
        }
        String kept = result == null ? there.row().result() : result;
        GuardRow row = new GuardRow(there.row().operation(), to, token, kept);
        write(transaction, operationId, new Row(row, null, clock.get()));
        return true;
    }

    @Override
    public boolean isKept(String operationId, UUID token, GuardState state) {
        Row there = find(lock(operationId), operationId);
        return there != null
                && there.row().state() == state
                && there.row().token().equals(token);
    }

    @Override
    public int purge(Duration age, int limit) {
        Instant now = clock.get();
        Predicate<Row> old = row -> row.isFree(now) && !row.changedAt().isAfter(now.minus(age));
        List<String> found = committed.entrySet().stream()
                .filter(entry -> old.test(entry.getValue()))
                .sorted(Comparator.comparing(entry -> entry.getValue().changedAt()))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        for (String operationId : found) {
            lock(operationId);
            transactions.onCommit(
                    () -> committed.computeIfPresent(operationId, (id, row) -> old.test(row) ? null : row));
        }
        return found.size();
    }

    /** For tests: moves the row's times back. */
    void age(String operationId, Duration by) {
        committed.computeIfPresent(operationId, (id, row) -> {
            Instant busyUntil = row.busyUntil();
            return new Row(
                    row.row(),
                    busyUntil == null ? null : busyUntil.minus(by),
                    row.changedAt().minus(by));
        });
    }

    private Object lock(String operationId) {
        try {
            return transactions.lock(new Lock(operationId), PATIENCE);
        } catch (SagaStoreException e) {
            throw new OperationBusyException(
                    "operation " + Shown.quoted(operationId), e.code().equals(DEADLOCK), e);
        } catch (InterruptedException e) {
            throw new OperationBusyException("operation " + Shown.quoted(operationId) + " (interrupted)", false, e);
        }
    }

    private @Nullable Row find(Object transaction, String operationId) {
        Written own = written.get(operationId);
        return own != null && own.transaction() == transaction ? own.row() : committed.get(operationId);
    }

    private void write(Object transaction, String operationId, Row row) {
        Written next = new Written(transaction, row);
        written.put(operationId, next);
        transactions.onCommit(() -> {
            committed.put(operationId, row);
            written.remove(operationId, next);
        });
        transactions.afterRollback(() -> written.remove(operationId, next));
    }
}
