package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Takes due sagas on MariaDB: locks the first of each definition, and takes of those as many as are wanted, by turns. */
final class MariaDbClaims {
    /** With stale statistics the server would read, and lock, by another index. */
    static final String BY_DUE = "force index (instance_due_at)";

    private static final String DUE = """
            (select saga_id, definition_id, owner, due_at from {q}instance {by_due}
              where definition_id = ? and due_at <= utc_timestamp(6) and %s
              order by due_at limit ? for update skip locked)
            """.formatted(Words.KNOWN).replace("{by_due}", BY_DUE);

    private static final String TAKE = """
            update {q}instance set owner = ?, due_at = utc_timestamp(6) + interval ? microsecond, epoch = epoch + 1,
                updated_at = utc_timestamp(6)
              where saga_id = any(?)
            """;

    private final Sql sql;
    private final String clock;

    MariaDbClaims(Sql sql, String clock) {
        this.sql = sql;
        this.clock = clock;
    }

    private record Due(UUID sagaId, int definitionId, boolean owned, Instant dueAt) {}

    private record Ranked(Due due, int place) {}

    List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        Map<UUID, Boolean> taken = new HashMap<>();
        fair(due(connection, request), request.limit()).forEach(due -> taken.put(due.sagaId(), due.owned()));
        take(connection, List.copyOf(taken.keySet()), request.lease());
        return Belongings.with(sql, connection, Taken.read(sql, connection, clock, taken));
    }

    private List<Due> due(Connection connection, ClaimRequest request) throws SQLException {
        int count = request.definitionIds().size();
        if (count == 0) {
            return List.of();
        }
        List<Object> values = new ArrayList<>();
        for (int definitionId : request.definitionIds()) {
            values.add(definitionId);
            values.add(request.limit());
        }
        String union = String.join(" union all ", Collections.nCopies(count, DUE));
        return sql.query(connection, union, MariaDbClaims::due, values.toArray());
    }

    private static Due due(ResultSet row) throws SQLException {
        return new Due(
                Rows.id(row, "saga_id"),
                row.getInt("definition_id"),
                row.getString("owner") != null,
                Rows.required(row, "due_at"));
    }

    /** The first of each definition, then the second of each, and so on. */
    private static List<Due> fair(List<Due> all, int limit) {
        Map<Integer, Integer> seen = new HashMap<>();
        return all.stream()
                .sorted(Comparator.comparing(Due::dueAt))
                .map(due -> new Ranked(due, seen.merge(due.definitionId(), 1, Integer::sum)))
                .sorted(Comparator.comparing(Ranked::place))
                .limit(limit)
                .map(Ranked::due)
                .toList();
    }

    void take(Connection connection, List<UUID> sagaIds, Lease lease) throws SQLException {
        if (!sagaIds.isEmpty()) {
            sql.update(connection, TAKE, lease.owner(), Rows.micros(lease.duration()), sagaIds);
        }
    }
}
