package io.backstep.saga.jdbc;

import io.backstep.saga.jdbc.Dialect.Place;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Written;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Writes a batch of mutations, and of starts that nobody else makes, so that one row harms no other: all at once first; when that fails for some row's sake, without those
 * that are locked, and what the database refuses is split off. Rows are taken in the order of their ids, so that two batches cannot
 * wait for each other.
 */
final class BatchWriter {
    private static final String FENCES = "select saga_id, epoch, seq from {q}instance where saga_id = any(?)";

    private final Sql sql;
    private final Dialect dialect;
    private final Inserts inserts;
    private final MailStatements mail;

    BatchWriter(Sql sql, Dialect dialect, Inserts inserts) {
        this.sql = sql;
        this.dialect = dialect;
        this.inserts = inserts;
        this.mail = new MailStatements(sql, dialect);
    }

    /** In a transaction of ours that has just begun; the caller commits. */
    Written write(Connection connection, List<Mutation> mutations, List<NewInstance> starts) throws SQLException {
        Map<UUID, Acceptance> answers = new HashMap<>();
        Map<UUID, InsertResult> results = new HashMap<>();
        List<Mutation> fine = mutations.stream()
                .filter(mutation -> storable(mutation, answers))
                .sorted(Comparator.comparing(mutation -> mutation.fence().sagaId()))
                .toList();
        List<NewInstance> storable = Inserts.storable(starts, results);
        try {
            Set<UUID> done =
                    fine.isEmpty() && storable.isEmpty() ? Set.of() : dialect.write(connection, fine, storable);
            fine.stream()
                    .map(mutation -> mutation.fence().sagaId())
                    .filter(done::contains)
                    .forEach(id -> answers.put(id, Acceptance.ACCEPTED));
            inserts.answer(connection, storable, done, results);
        } catch (SQLException e) {
            if (!isOfSomeRow(e)) {
                throw e;
            }
            connection.rollback();
            dialect.openAgain(connection);
            writeFree(connection, fine, answers);
            inserts.split(connection, storable, results);
        }
        return new Written(
                mutations.stream().map(mutation -> answer(mutation, answers)).toList(),
                Inserts.inOrder(starts, results));
    }

    /** As the last thing in a transaction that the application has part in; unless it is accepted the caller rolls back. */
    Acceptance writeInside(Connection connection, Mutation mutation) throws SQLException {
        Map<UUID, Acceptance> answers = new HashMap<>();
        if (storable(mutation, answers)) {
            Savepoint before = connection.setSavepoint();
            try {
                submit(connection, List.of(mutation), Place.INSIDE, answers);
            } catch (SQLException e) {
                if (!isOfSomeRow(e)) {
                    throw e;
                }
                backTo(before, connection, e);
                writeFree(connection, List.of(mutation), answers);
            }
        }
        return answer(mutation, answers);
    }

    private static Acceptance answer(Mutation mutation, Map<UUID, Acceptance> answers) {
        return answers.getOrDefault(mutation.fence().sagaId(), Acceptance.STALE);
    }

    private static boolean storable(Mutation mutation, Map<UUID, Acceptance> answers) {
        IllegalArgumentException fault = StorableText.fault(mutation);
        if (fault != null) {
            answers.put(mutation.fence().sagaId(), new Acceptance(Acceptance.Kind.REFUSED, fault));
        }
        return fault == null;
    }

    /** What is not written is stale: it gets no answer here. */
    private void submit(Connection connection, List<Mutation> rows, Place place, Map<UUID, Acceptance> answers)
            throws SQLException {
        if (!rows.isEmpty()) {
            dialect.submit(connection, rows, place).forEach(id -> answers.put(id, Acceptance.ACCEPTED));
        }
    }

    private void writeFree(Connection connection, List<Mutation> rows, Map<UUID, Acceptance> answers)
            throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Set<UUID> free = free(connection, rows);
        Set<Fence> valid = validFences(connection, rows);
        rows.stream()
                .map(Mutation::fence)
                .filter(fence -> !free.contains(fence.sagaId()) && valid.contains(fence))
                .forEach(fence -> answers.put(fence.sagaId(), Acceptance.LOCKED));
        split(
                connection,
                rows.stream().filter(row -> free.contains(row.fence().sagaId())).toList(),
                answers);
    }

    private Set<UUID> free(Connection connection, List<Mutation> rows) throws SQLException {
        Set<UUID> free = new HashSet<>(dialect.lock(
                connection, rows.stream().map(row -> row.fence().sagaId()).toList()));
        for (Mutation row : rows) {
            UUID sagaId = row.fence().sagaId();
            if (free.contains(sagaId) && mail.isLocked(connection, row)) {
                free.remove(sagaId);
            }
        }
        return free;
    }

    private Set<Fence> validFences(Connection connection, List<Mutation> rows) throws SQLException {
        return new HashSet<>(sql.query(
                connection,
                FENCES,
                row -> new Fence(Rows.id(row, "saga_id"), row.getLong(2), row.getLong(3)),
                rows.stream().map(row -> row.fence().sagaId()).toList()));
    }

    private void split(Connection connection, List<Mutation> rows, Map<UUID, Acceptance> answers) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Savepoint before = connection.setSavepoint();
        try {
            submit(connection, rows, Place.OPENED, answers);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            if (!Failures.isData(e)) {
                throw e;
            }
            backTo(before, connection, e);
            if (rows.size() == 1) {
                answers.put(rows.get(0).fence().sagaId(), new Acceptance(Acceptance.Kind.REFUSED, e));
            } else {
                split(connection, rows.subList(0, rows.size() / 2), answers);
                split(connection, rows.subList(rows.size() / 2, rows.size()), answers);
            }
        }
    }

    /** When this fails, too (H2 rolls a whole transaction back after a deadlock), the first failure says why. */
    static <E extends Exception> void backTo(Savepoint before, Connection connection, E failure) throws E {
        try {
            connection.rollback(before);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    static boolean isOfSomeRow(SQLException failure) {
        return Failures.isLock(failure) || Failures.isData(failure);
    }
}
