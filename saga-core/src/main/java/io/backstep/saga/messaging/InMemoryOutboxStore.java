package io.backstep.saga.messaging;

import io.backstep.saga.messaging.OutboxMark.Kind;
import io.backstep.saga.store.InMemoryTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The reference store of the outbox: rows in memory, for tests. Nothing survives the process. */
public final class InMemoryOutboxStore implements OutboxStore {
    private static final long LARGEST_BATCH = 8 << 20;

    private enum Status {
        NEW,
        RETRY,
        FAILED,
        SENT
    }

    private record Key(String type, String id) {
        static Key of(OutboxRow row) {
            return new Key(row.message().aggregateType(), row.message().aggregateId());
        }
    }

    private record Kept(
            OutboxRow row,
            Status status,
            Instant publishedAt,
            @Nullable Instant at,
            String error) {
        boolean maySend(Instant now) {
            return status == Status.NEW || (status == Status.RETRY && at != null && !at.isAfter(now));
        }

        boolean isUnsent() {
            return status != Status.SENT;
        }

        int lane() {
            return OutboxStore.lane(row.message());
        }

        Kept older(Duration by) {
            return new Kept(row, status, publishedAt.minus(by), at == null ? null : at.minus(by), error);
        }
    }

    private static final class Lane {
        private @Nullable Instant until;
        private long epoch;
        private long served;
    }

    private final InMemoryTransactions transactions;
    private final Supplier<Instant> clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong positions = new AtomicLong();
    private final TreeMap<Long, Kept> rows = new TreeMap<>();
    private final List<Lane> lanes =
            Stream.generate(Lane::new).limit(OutboxStore.LANES).toList();
    private long turn;

    /**
     * Makes an empty store.
     *
     * @param transactions those that it takes part in
     * @param clock the database clock
     */
    public InMemoryOutboxStore(InMemoryTransactions transactions, Supplier<Instant> clock) {
        this.transactions = transactions;
        this.clock = clock;
    }

    @Override
    public void insert(UUID id, OutboxMessage message) {
        OutboxRow row = new OutboxRow(positions.incrementAndGet(), id, message, 0);
        Kept kept = new Kept(row, Status.NEW, clock.get(), null, "");
        transactions.onCommit(() -> locked(() -> rows.put(row.position(), kept)));
    }

    @Override
    public Optional<OutboxBatch> claim(String owner, Duration lease, int limit) {
        return locked(() -> lanes.stream()
                .filter(lane -> lane.until == null || lane.until.isBefore(clock.get()))
                .sorted(Comparator.comparing(lane -> lane.served))
                .flatMap(lane -> taken(lane, lease, sendable(lanes.indexOf(lane), limit)))
                .findFirst());
    }

    private Stream<OutboxBatch> taken(Lane lane, Duration lease, List<OutboxRow> found) {
        if (found.isEmpty()) {
            return Stream.empty();
        }
        lane.until = clock.get().plus(lease);
        lane.epoch++;
        return Stream.of(new OutboxBatch(lanes.indexOf(lane), lane.epoch, found));
    }

    private List<OutboxRow> sendable(int lane, int limit) {
        Set<Key> held = new HashSet<>();
        List<OutboxRow> found = new ArrayList<>();
        long bytes = 0;
        for (Kept kept : rows.values()) {
            if (found.size() == limit || bytes >= LARGEST_BATCH) {
                break;
            }
            if (kept.lane() != lane || !kept.isUnsent()) {
                continue;
            }
            if (!kept.maySend(clock.get())) {
                held.add(Key.of(kept.row()));
            } else if (!held.contains(Key.of(kept.row()))) {
                found.add(kept.row());
                bytes += kept.row().message().size();
            }
        }
        return found;
    }

    @Override
    public boolean settle(OutboxBatch batch, List<OutboxMark> marks) {
        return locked(() -> {
            Lane lane = lanes.get(batch.lane());
            if (lane.epoch != batch.epoch()) {
                return false;
            }
            lane.until = null;
            lane.served = ++turn;
            marks.forEach(mark -> rows.computeIfPresent(mark.position(), (position, kept) -> marked(kept, mark)));
            return true;
        });
    }

    private Kept marked(Kept kept, OutboxMark mark) {
        if (kept.status() != Status.NEW && kept.status() != Status.RETRY) {
            return kept;
        }
        OutboxRow before = kept.row();
        OutboxRow row = new OutboxRow(before.position(), before.id(), before.message(), mark.failures());
        Instant now = clock.get();
        Instant at = mark.kind() == Kind.SENT ? now : mark.delay() == null ? null : now.plus(mark.delay());
        String error = mark.error() == null ? "" : mark.error();
        return new Kept(row, Status.valueOf(mark.kind().name()), kept.publishedAt(), at, error);
    }

    @Override
    public OutboxBacklog backlog() {
        return locked(() -> {
            List<Kept> unsent = rows.values().stream().filter(Kept::isUnsent).toList();
            long failed = unsent.stream()
                    .filter(kept -> kept.status() == Status.FAILED)
                    .count();
            Duration oldest = unsent.stream()
                    .map(kept -> Duration.between(kept.publishedAt(), clock.get()))
                    .max(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            return new OutboxBacklog(unsent.size() - failed, failed, oldest);
        });
    }

    @Override
    public List<FailedMessage> failed(int limit) {
        return locked(() -> rows.values().stream()
                .filter(kept -> kept.status() == Status.FAILED)
                .limit(limit)
                .map(kept -> new FailedMessage(
                        kept.row().id(), kept.row().message(), kept.row().failures(), kept.error(), kept.publishedAt()))
                .toList());
    }

    @Override
    public boolean requeue(UUID id) {
        return locked(() -> findFailed(id)
                .map(kept -> {
                    OutboxRow row =
                            new OutboxRow(kept.row().position(), id, kept.row().message(), 0);
                    return rows.put(row.position(), new Kept(row, Status.NEW, kept.publishedAt(), null, ""));
                })
                .isPresent());
    }

    @Override
    public boolean discard(UUID id) {
        return locked(() ->
                findFailed(id).map(kept -> rows.remove(kept.row().position())).isPresent());
    }

    private Optional<Kept> findFailed(UUID id) {
        return rows.values().stream()
                .filter(kept ->
                        kept.status() == Status.FAILED && kept.row().id().equals(id))
                .findFirst();
    }

    @Override
    public int purge(Duration age, int limit) {
        return locked(() -> {
            Instant before = clock.get().minus(age);
            Predicate<Kept> old = kept -> kept.status() == Status.SENT
                    && kept.at() != null
                    && !kept.at().isAfter(before);
            List<Long> found = rows.entrySet().stream()
                    .filter(entry -> old.test(entry.getValue()))
                    .limit(limit)
                    .map(Map.Entry::getKey)
                    .toList();
            found.forEach(rows::remove);
            return found.size();
        });
    }

    /** For tests: moves a row's times back. */
    void age(UUID id, Duration by) {
        locked(() -> {
            rows.replaceAll((position, kept) -> kept.row().id().equals(id) ? kept.older(by) : kept);
            return true;
        });
    }

    /** For tests: moves the end of a lease back. */
    void ageLease(int lane, Duration by) {
        locked(() -> {
            Instant until = lanes.get(lane).until;
            lanes.get(lane).until = until == null ? null : until.minus(by);
            return true;
        });
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
