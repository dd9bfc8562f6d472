package io.backstep.saga.jdbc;

import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mutation;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The write of one mutation: what goes with it follows only when the update counts one row. */
final class H2Submit {
    private static final String UPDATE = """
            update {q}instance set seq = seq + 1, status = ?, reason = ?, steps = coalesce(?, steps),
                owner = case when ? then null else owner end,
                due_at = case when ? then due_at else cast(? as timestamp(6) with time zone) end, updated_at = ?
              where saga_id = ? and epoch = ? and seq = ?
            """;

    private final Sql sql;
    private final Records records;

    H2Submit(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.records = new Records(sql, dialect);
    }

    /** False when the fence does not hold: nothing is written then. */
    boolean write(Connection connection, Mutation mutation, Instant now) throws SQLException {
        boolean fits = update(connection, mutation, now);
        if (fits) {
            records.write(connection, List.of(mutation));
        }
        return fits;
    }

    private boolean update(Connection connection, Mutation mutation, Instant now) throws SQLException {
        Fence fence = mutation.fence();
        Hold hold = mutation.hold();
        Duration wait = hold.duration();
        return sql.update(
                        connection,
                        UPDATE,
                        mutation.status().name(),
                        Rows.name(mutation.reason()),
                        mutation.steps(),
                        hold.kind() == Hold.Kind.RELEASE || hold.kind() == Hold.Kind.END,
                        hold.kind() == Hold.Kind.KEEP,
                        H2Dialect.at(wait == null ? null : now.plus(wait)),
                        H2Dialect.at(now),
                        fence.sagaId(),
                        fence.epoch(),
                        fence.seq())
                == 1;
    }
}
