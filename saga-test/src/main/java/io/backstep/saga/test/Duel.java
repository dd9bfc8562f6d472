package io.backstep.saga.test;

import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.ListQuery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tells two stores the same, one operation after the other, and compares answers and tables. */
final class Duel {
    private final Side reference;
    private final Side other;
    private final String replay;
    private final List<String> told = new ArrayList<>();

    Duel(Side reference, Side other, String replay) {
        this.reference = reference;
        this.other = other;
        this.replay = replay;
    }

    Side reference() {
        return reference;
    }

    /** What the reference has. */
    @Nullable
    InstanceRow row(UUID id) {
        return reference.store().find(id).orElse(null);
    }

    /** One operation; the answer of the reference. */
    <T> void tell(String what, Function<Side, T> operation) {
        told.add(what);
        same("the answer", answer(reference, operation), answer(other, operation));
    }

    private static String answer(Side side, Function<Side, ?> operation) {
        try {
            return String.valueOf(operation.apply(side));
        } catch (RuntimeException e) {
            return "failed: " + e.getClass().getSimpleName();
        }
    }

    void compare(List<UUID> sagaIds) {
        for (UUID id : sagaIds) {
            same("saga " + id, shown(reference, id), shown(other, id));
        }
    }

    /** Its row, its history and its compensations. */
    private static String shown(Side side, UUID id) {
        InstanceRow row = side.store().find(id).orElse(null);
        Instant created = row == null ? Instant.EPOCH : row.createdAt();
        List<String> all = new ArrayList<>(List.of(Likeness.row(row)));
        all.addAll(Likeness.all(side.store().history(id), line -> Likeness.line(line, created)));
        all.addAll(Likeness.anyOrder(side.store().compensations(id), entry -> Likeness.compensation(entry, created)));
        return String.join("\n", all);
    }

    void compareLists() {
        for (String name : names()) {
            ListQuery all = new ListQuery(null, name, null, null, null, null, null, 1000);
            same(
                    "the list of " + name,
                    String.join("\n", Likeness.all(reference.store().list(all), Likeness::summary)),
                    String.join("\n", Likeness.all(other.store().list(all), Likeness::summary)));
        }
    }

    void compareAudits(List<UUID> sagaIds) {
        for (UUID id : sagaIds) {
            AuditQuery rows = new AuditQuery(id, null, null, 100);
            same("the audit of " + id, audit(reference, rows), audit(other, rows));
        }
    }

    private List<String> names() {
        return reference.definitions().stream()
                .map(definition -> definition.name())
                .distinct()
                .toList();
    }

    private static String audit(Side side, AuditQuery query) {
        return String.join("\n", Likeness.all(side.store().audit(query), Likeness::audit));
    }

    private void same(String what, String expected, String was) {
        if (!Objects.equals(expected, was)) {
            throw new AssertionError(what + " differs after operation " + told.size() + "; " + replay + "\nin memory:\n"
                    + expected + "\nhere:\n" + was + "\ntold:\n" + String.join("\n", told));
        }
    }
}
