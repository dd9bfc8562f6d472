package io.backstep.saga.test;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is drawn for a random operation: the same for the same seed. Lives long: no lease runs out while a sequence runs. */
final class Chance {
    static final Duration HOUR = Duration.ofHours(1);

    private final Random random;
    private final String run;

    /** The names of owners are of this run alone: a sweep asks for all that an owner holds. */
    Chance(long seed) {
        this.random = new Random(seed);
        this.run = UUID.randomUUID().toString();
    }

    boolean one(int in) {
        return random.nextInt(in) == 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T of(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    UUID id() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    Lease lease() {
        return new Lease("node-" + below(3) + "/" + run, HOUR.multipliedBy(1 + below(3)));
    }

    Duration hours(int most) {
        return HOUR.multipliedBy(below(most + 1));
    }

    @Nullable
    String key() {
        return one(3) ? null : "key-" + below(4);
    }

    String hash() {
        return (one(2) ? "0123456789abcdef" : "fedcba9876543210").repeat(4);
    }

    /** Mostly as the row is. */
    Fence fence(UUID sagaId, @Nullable InstanceRow row) {
        long epoch = row == null ? 1 : row.epoch();
        long seq = row == null ? 0 : row.seq();
        return switch (below(8)) {
            case 0 -> new Fence(sagaId, epoch + 1 - below(3), seq);
            case 1 -> new Fence(sagaId, epoch, Math.max(0, seq + 1 - below(3)));
            default -> new Fence(sagaId, epoch, seq);
        };
    }

    /** Now and then status and hold do not go together, which is refused. */
    Mutation mutation(UUID sagaId, @Nullable InstanceRow row, boolean byOperator) {
        SagaStatus status = of(List.of(
                SagaStatus.RUNNING,
                SagaStatus.RUNNING,
                SagaStatus.COMPENSATING,
                SagaStatus.COMPENSATED,
                SagaStatus.COMPLETED,
                SagaStatus.FAILED));
        boolean fits = !one(20);
        Hold hold = status.active() == fits ? activeHold(byOperator) : Hold.END;
        return new Mutation(
                fence(sagaId, row),
                status,
                one(2) ? null : of(List.of(SagaReason.REJECTED, SagaReason.CANCELLED, SagaReason.PIVOT_UNKNOWN)),
                one(3) ? null : "{\"a\":[\"" + of(List.of("EXECUTING", "WAITING", "SUCCEEDED")) + "\"]}",
                hold,
                IntStream.range(0, below(3)).mapToObj(i -> line()).toList(),
                compensations(),
                byOperator
                        ? List.of()
                        : IntStream.range(0, below(2))
                                .mapToObj(i -> messageId())
                                .toList(),
                byOperator || !one(4) ? List.of() : List.of(messageId()),
                List.of(),
                one(4) ? List.of(mail(sagaId), mail(sagaId)) : List.of());
    }

    private Hold activeHold(boolean byOperator) {
        return switch (byOperator ? 2 : below(3)) {
            case 0 -> Hold.KEEP;
            case 1 -> Hold.extend(HOUR.multipliedBy(2));
            default -> Hold.release(hours(2));
        };
    }

    private HistoryEntry line() {
        Outcome outcome = of(List.of(Outcome.SUCCEEDED, Outcome.FAILED, Outcome.REJECTED));
        return new HistoryEntry(
                step(),
                of(List.of(Phase.ACTION, Phase.COMPENSATION)),
                1 + below(3),
                outcome,
                null,
                outcome == Outcome.SUCCEEDED && one(2) ? "{\"r\": " + below(9) + "}" : null,
                outcome == Outcome.FAILED ? "E" + below(3) : null,
                outcome == Outcome.FAILED ? "it broke \u00e4\ud83d\ude00" : null,
                Duration.ofMillis(below(900)),
                "node");
    }

    private List<CompensationEntry> compensations() {
        List<CompensationEntry> all = new ArrayList<>();
        List<String> steps = one(2) ? List.of() : one(2) ? List.of("a") : List.of("b", "a");
        for (String step : steps) {
            all.add(new CompensationEntry(
                    step,
                    1 + "ab".indexOf(step),
                    of(List.of(CompensationEntry.Status.values())),
                    below(4),
                    one(2) ? null : hours(3),
                    one(2) ? null : "1",
                    one(3) ? "ok" : null,
                    one(3) ? "no" : null));
        }
        return all;
    }

    String step() {
        return of(List.of("a", "b", "c"));
    }

    String messageId() {
        return "m" + below(4);
    }

    Mail mail(UUID sagaId) {
        return new Mail(sagaId, messageId(), of(List.of(Mail.Kind.values())), "because");
    }

    AuditEntry entry(UUID sagaId) {
        return new AuditEntry(
                sagaId,
                "retry",
                "ada",
                "reason " + below(5),
                one(2),
                "FAILED",
                "RUNNING",
                one(2),
                one(3) ? null : "request-" + below(3),
                "node");
    }
}
