package io.backstep.saga.test;

import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What two stores must have in common, as text: everything but ids that a store gives itself, and times, of which only the distance
 * from the creation counts, in steps of ten minutes.
 */
final class Likeness {
    static final Duration STEP = Duration.ofMinutes(10);

    private Likeness() {}

    static String row(@Nullable InstanceRow row) {
        if (row == null) {
            return "nothing";
        }
        return String.join(
                " ",
                row.sagaId() + " " + row.name() + " v" + row.version() + " key " + row.businessKey() + " for "
                        + row.parent(),
                row.inputHash().substring(0, 4) + " " + row.status() + " " + row.reason() + " " + row.steps(),
                row.input() + " format " + row.format() + " epoch " + row.epoch() + " seq " + row.seq(),
                "owner " + row.owner() + " due " + since(row.createdAt(), row.dueAt()),
                "deadline " + since(row.createdAt(), row.deadline()),
                "updated " + since(row.createdAt(), row.updatedAt()));
    }

    static String summary(InstanceSummary row) {
        return String.join(
                " ",
                row.sagaId() + " " + row.name() + " v" + row.version() + " key " + row.businessKey(),
                row.status() + " " + row.reason() + " owner " + row.owner(),
                "due " + since(row.createdAt(), row.dueAt()) + " updated " + since(row.createdAt(), row.updatedAt()));
    }

    static String inserted(InsertResult result) {
        InstanceRow existing = result.existing();
        return result.kind() + (existing == null ? "" : " " + row(existing));
    }

    static String claimed(Claimed claimed) {
        return row(claimed.row()) + " taken over " + claimed.takenOver() + " age " + steps(claimed.age())
                + " deadline " + claimed.deadline() + " results " + new TreeMap<>(claimed.results()) + " mail "
                + claimed.mail();
    }

    static String inspected(Inspected seen) {
        return row(seen.row()) + " held " + seen.held() + " age " + steps(seen.age()) + " mail " + seen.mail();
    }

    static String line(HistoryRow line, @Nullable Instant created) {
        return line.seq() + "/" + line.ordinal() + " " + line.entry() + " " + since(created, line.startedAt());
    }

    static String compensation(CompensationRow row, @Nullable Instant created) {
        return row.entry() + " next " + since(created, row.nextRetryAt()) + " created "
                + since(created, row.createdAt()) + " updated " + since(created, row.updatedAt());
    }

    static String audit(AuditRow row) {
        return row.entry().toString();
    }

    static <T> List<String> all(Collection<T> of, Function<T, String> shown) {
        return of.stream().map(shown).toList();
    }

    /** Where the order is the store's own. */
    static <T> List<String> anyOrder(Collection<T> of, Function<T, String> shown) {
        return of.stream().map(shown).sorted().toList();
    }

    private static String since(@Nullable Instant created, @Nullable Instant time) {
        return created == null || time == null ? "never" : steps(Duration.between(created, time));
    }

    private static String steps(Duration duration) {
        return String.valueOf(Math.floorDiv(duration.plus(STEP.dividedBy(2)).toSeconds(), STEP.toSeconds()));
    }
}
