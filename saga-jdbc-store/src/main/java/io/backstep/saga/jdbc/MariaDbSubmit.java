package io.backstep.saga.jdbc;

import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Mutation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The write of a batch of mutations: first the rows are locked, which tells whose fence holds; only those are written, kind by kind.
 * While the rows are locked nobody can break a fence that holds.
 */
final class MariaDbSubmit {
    private static final String FENCES =
            "select saga_id, epoch, seq from {q}instance where saga_id = any(?) order by saga_id for update";

    private static final String MAIL =
            "select message_id from {q}signal where saga_id = ? and message_id = ? for update";

    private static final String UPDATE = """
            update {q}instance set seq = seq + 1, status = ?, reason = ?, steps = coalesce(?, steps),
                owner = if(?, null, owner), due_at = if(?, due_at, utc_timestamp(6) + interval ? microsecond),
                updated_at = utc_timestamp(6)
              where saga_id = ?
            """;

    private final Sql sql;
    private final Records records;
    private final String patience;

    MariaDbSubmit(Sql sql, Product product, Dialect dialect) {
        this.sql = sql;
        this.records = new Records(sql, dialect);
        this.patience = product.wait(1);
    }

    /** Gives the ids that are written. */
    Set<UUID> write(Connection connection, List<Mutation> batch, Dialect.Place place) throws SQLException {
        Set<Fence> holding = lock(connection, batch, place);
        List<Mutation> fit = batch.stream()
                .filter(mutation -> holding.contains(mutation.fence()))
                .toList();
        lockMail(connection, fit, place);
        sql.updateAll(connection, UPDATE, fit.stream().map(MariaDbSubmit::row).toList());
        records.write(connection, fit);
        return fit.stream().map(mutation -> mutation.fence().sagaId()).collect(Collectors.toSet());
    }

    private Set<Fence> lock(Connection connection, List<Mutation> batch, Dialect.Place place) throws SQLException {
        List<UUID> ids = batch.stream().map(row -> row.fence().sagaId()).toList();
        return new HashSet<>(sql.query(
                connection,
                FENCES + wait(place),
                row -> new Fence(Rows.id(row, "saga_id"), row.getLong("epoch"), row.getLong("seq")),
                ids));
    }

    /** Whoever posted the same again may keep it locked as long as a transaction of the application's lasts. */
    private void lockMail(Connection connection, List<Mutation> fit, Dialect.Place place) throws SQLException {
        for (Mutation mutation : fit) {
            List<String> merged = new ArrayList<>(mutation.mail());
            merged.addAll(mutation.kept());
            for (String messageId : merged) {
                sql.query(
                        connection,
                        MAIL + wait(place),
                        row -> "",
                        mutation.fence().sagaId(),
                        messageId);
            }
        }
    }

    /** A flush must not wait while others wait for it; a transactional step would have to run again. */
    private String wait(Dialect.Place place) {
        return place == Dialect.Place.INSIDE ? patience : " nowait";
    }

    private static @Nullable Object[] row(Mutation mutation) {
        Hold hold = mutation.hold();
        return new @Nullable Object[] {
            mutation.status().name(),
            Rows.name(mutation.reason()),
            mutation.steps(),
            hold.kind() == Hold.Kind.RELEASE || hold.kind() == Hold.Kind.END,
            hold.kind() == Hold.Kind.KEEP,
            Rows.microsOrNull(hold.duration()),
            mutation.fence().sagaId()
        };
    }
}
