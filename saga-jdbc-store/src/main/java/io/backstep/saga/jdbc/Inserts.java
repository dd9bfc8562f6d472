package io.backstep.saga.jdbc;

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

    List<InsertResult> insert(Connection connection, List<NewInstance> batch) throws SQLException {
        Map<UUID, InsertResult> results = new HashMap<>();
        List<NewInstance> fine = batch.stream()
                .filter(row -> storable(row, results))
                .sorted(Comparator.comparing(row -> row.businessKey() == null ? "" : row.businessKey()))
                .toList();
        Savepoint before = connection.setSavepoint();
        try {
            results.putAll(insertAll(connection, fine));
        } catch (SQLException e) {
            connection.rollback(before);
            if (!BatchWriter.isData(e)) {
                throw e;
            }
            for (NewInstance row : fine) {
                results.put(row.sagaId(), alone(connection, row));
            }
        }
        return batch.stream()
                .map(row -> results.getOrDefault(row.sagaId(), unseen()))
                .toList();
    }

    /** In the caller's transaction, which stays usable whatever happens. */
    InsertResult insertJoined(Connection connection, NewInstance row) throws SQLException {
        Map<UUID, InsertResult> refused = new HashMap<>();
        return storable(row, refused) ? alone(connection, row) : refused.getOrDefault(row.sagaId(), unseen());
    }

    private InsertResult alone(Connection connection, NewInstance row) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            InsertResult result = insertAll(connection, List.of(row)).getOrDefault(row.sagaId(), unseen());
            connection.releaseSavepoint(before);
            return result;
        } catch (SQLException e) {
            connection.rollback(before);
            if (BatchWriter.isData(e)) {
                return new InsertResult(Kind.REFUSED, null, e);
            }
            if ("40001".equals(e.getSQLState())) {
                return unseen();
            }
            throw e;
        }
    }

    private Map<UUID, InsertResult> insertAll(Connection connection, List<NewInstance> rows) throws SQLException {
        Map<UUID, InsertResult> results = new HashMap<>();
        Set<UUID> inserted = rows.isEmpty() ? Set.of() : dialect.insert(connection, rows);
        for (NewInstance row : rows) {
            results.put(
                    row.sagaId(), inserted.contains(row.sagaId()) ? InsertResult.INSERTED : inTheWay(connection, row));
        }
        return results;
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
