package io.backstep.saga.participant;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The reference store of the idempotency handler: keys in memory. For tests, and for one process that may forget. */
public final class InMemoryIdempotencyStore implements IdempotencyStore {
    private record Row(IdempotencyRow row, Instant busyUntil, Instant expiresAt) {
        boolean isFree(IdempotencyClaim claim, Instant now) {
            boolean lost = row.result() == null
                    && busyUntil.isBefore(now)
                    && row.fingerprint().equals(claim.fingerprint());
            return lost || expiresAt.isBefore(now);
        }

        boolean isOf(UUID token) {
            return row.result() == null && row.token().equals(token);
        }
    }

    private final Supplier<Instant> clock;
    private final Map<String, Row> rows = new ConcurrentHashMap<>();

    /**
     * Makes an empty store.
     *
     * @param clock tells the time
     */
    public InMemoryIdempotencyStore(Supplier<Instant> clock) {
        this.clock = clock;
    }

    @Override
    public IdempotencyRow claim(IdempotencyClaim claim) {
        Instant now = clock.get();
        Row row = rows.compute(
                claim.key(),
                (key, there) -> there != null && !there.isFree(claim, now)
                        ? there
                        : new Row(
                                new IdempotencyRow(claim.fingerprint(), claim.token(), null),
                                now.plus(claim.limit()),
                                now.plus(claim.timeToLive())));
        return Objects.requireNonNull(row).row();
    }

    @Override
    public boolean complete(String key, UUID token, String result, Duration timeToLive) {
        Instant now = clock.get();
        Row row = rows.computeIfPresent(
                key,
                (same, there) -> there.isOf(token)
                        ? new Row(
                                new IdempotencyRow(there.row().fingerprint(), token, result), now, now.plus(timeToLive))
                        : there);
        return row != null && row.row().token().equals(token);
    }

    @Override
    public void release(String key, UUID token) {
        rows.computeIfPresent(key, (same, there) -> there.isOf(token) ? null : there);
    }

    @Override
    public int purge(int limit) {
        Instant now = clock.get();
        List<Map.Entry<String, Row>> found = rows.entrySet().stream()
                .filter(entry -> entry.getValue().expiresAt().isBefore(now))
                .limit(limit)
                .toList();
        found.forEach(entry -> rows.remove(entry.getKey(), entry.getValue()));
        return found.size();
    }

    /** For tests: moves the key's times back. */
    void age(String key, Duration by) {
        rows.computeIfPresent(
                key,
                (same, row) -> new Row(
                        row.row(), row.busyUntil().minus(by), row.expiresAt().minus(by)));
    }
}
