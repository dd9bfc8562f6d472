package io.backstep.saga.jdbc;

import io.backstep.saga.jdbc.Dialect.Place;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts: inserts first, and looks for what is in the way only when it is. */
final class Inserts {
    private final Dialect dialect;
    private final Reads reads;

    Inserts(Dialect dialect, Reads reads) {
        this.dialect = dialect;
        this.reads = reads;
    }

    /** In a transaction of ours that has just begun; the caller commits. Keys are taken in their order: no two batches wait for each other. */
    List<InsertResult> insert(Connection connection, List<NewInstance> batch) throws SQLException {
        Map<UUID, InsertResult> results = new HashMap<>();
        List<NewInstance> rows = storable(batch, results);
        try {
            answer(
                    connection,
                    rows,
                    rows.isEmpty() ? Set.of() : dialect.insert(connection, rows, Place.FIRST),
                    results);
        } catch (SQLException e) {
            if (!BatchWriter.isOfSomeRow(e)) {
                throw e;
            }
            connection.rollback();
            dialect.openAgain(connection);
            if (Failures.isLock(e)) {
                for (NewInstance row : rows) {
                    split(connection, List.of(row), results); // halves would wait for the same lock again and again
                }
            } else {
                split(connection, rows, results);
            }
        }
        return inOrder(batch, results);
    }

    /** What can be stored, by its keys; the others are refused. */
    static List<NewInstance> storable(List<NewInstance> batch, Map<UUID, InsertResult> results) {
        return batch.stream()
                .filter(row -> storable(row, results))
                .sorted(Comparator.comparing(row -> row.businessKey() == null ? "" : row.businessKey()))
                .toList();
    }

    /** One result for each; of what was in the way and is not seen, that. */
    static List<InsertResult> inOrder(List<NewInstance> batch, Map<UUID, InsertResult> results) {
        return batch.stream()
                .map(row -> results.getOrDefault(row.sagaId(), unseen()))
                .toList();
    }

    /**
     * After what stands first. It may be committed: then a failure to read what was in the way of one is of that one alone, which is tried
     * again.
     */
    void answer(Connection connection, List<NewInstance> rows, Set<UUID> inserted, Map<UUID, InsertResult> results)
            throws SQLException {
        for (NewInstance row : rows) {
            results.put(row.sagaId(), inserted.contains(row.sagaId()) ? InsertResult.INSERTED : told(connection, row));
        }
    }

    private InsertResult told(Connection connection, NewInstance row) throws SQLException {
        try {
            return inTheWay(connection, row);
        } catch (SQLException e) {
            if (!dialect.commitsAlong()) {
                throw e;
            }
            try {
                connection.rollback();
            } catch (SQLException broken) {
                e.addSuppressed(broken);
                throw Failures.inDoubt(e);
            }
            return new InsertResult(Kind.LOCKED, null, e);
        }
    }

    void split(Connection connection, List<NewInstance> rows, Map<UUID, InsertResult> results) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Savepoint before = connection.setSavepoint();
        try {
            insertAll(connection, rows, Place.OPENED, results);
            connection.releaseSavepoint(before);
        } catch (SQLException e) {
            if (!BatchWriter.isOfSomeRow(e)) {
                throw e;
            }
            BatchWriter.backTo(before, connection, e);
            if (rows.size() == 1) {
                Kind kind = Failures.isData(e) ? Kind.REFUSED : Kind.LOCKED;
                results.put(rows.get(0).sagaId(), new InsertResult(kind, null, e));
            } else {
                split(connection, rows.subList(0, rows.size() / 2), results);
                split(connection, rows.subList(rows.size() / 2, rows.size()), results);
            }
        }
    }

    /** In the caller's transaction, which stays usable whatever happens. */
    InsertResult insertJoined(Connection connection, NewInstance row) throws SQLException {
        Map<UUID, InsertResult> results = new HashMap<>();
        if (storable(row, results)) {
            Savepoint before = connection.setSavepoint();
            try {
                insertAll(connection, List.of(row), Place.INSIDE, results);
                connection.releaseSavepoint(before);
            } catch (SQLException e) {
                BatchWriter.backTo(before, connection, e);
                results.put(row.sagaId(), afterFailure(connection, row, e));
            }
        }
        return results.getOrDefault(row.sagaId(), unseen());
    }

    /** Of a transaction that is doomed for another reason the query fails as well: that is for the caller to see. */
    private InsertResult afterFailure(Connection connection, NewInstance row, SQLException failure)
            throws SQLException {
        if (Failures.isData(failure)) {
            return new InsertResult(Kind.REFUSED, null, failure);
        }
        if (!Failures.isSerialization(failure)) {
            throw failure;
        }
        return inTheWay(connection, row);
    }

    private void insertAll(Connection connection, List<NewInstance> rows, Place place, Map<UUID, InsertResult> results)
            throws SQLException {
        Set<UUID> inserted = dialect.insert(connection, rows, place);
        for (NewInstance row : rows) {
            results.put(
                    row.sagaId(), inserted.contains(row.sagaId()) ? InsertResult.INSERTED : inTheWay(connection, row));
        }
    }

    private InsertResult inTheWay(Connection connection, NewInstance row) throws SQLException {
        Optional<InstanceRow> existing = byKey(connection, row);
        if (existing.isEmpty()) {
            existing = reads.byId(connection, row.sagaId());
        }
        return existing.map(found -> new InsertResult(Kind.EXISTS, found, null)).orElseGet(Inserts::unseen);
    }

    private Optional<InstanceRow> byKey(Connection connection, NewInstance row) throws SQLException {
        String key = row.businessKey();
        return key == null
                ? Optional.empty()
                : reads.byKey(connection, row.definition().typeId(), key);
    }

    private static boolean storable(NewInstance row, Map<UUID, InsertResult> results) {
        @Nullable IllegalArgumentException fault = StorableText.fault(row);
        if (fault != null) {
            results.put(row.sagaId(), new InsertResult(Kind.REFUSED, null, fault));
        }
        return fault == null;
    }

    private static InsertResult unseen() {
        return new InsertResult(Kind.EXISTS_UNSEEN, null, null);
    }
}
