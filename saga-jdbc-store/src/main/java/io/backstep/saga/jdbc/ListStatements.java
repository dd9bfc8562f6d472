package io.backstep.saga.jdbc;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The list of sagas, newest first, by keyset: what is inserted meanwhile moves nothing. */
final class ListStatements {
    /** How long a list may take. */
    static final int SECONDS = 5;

    private static final String SELECT = """
            select i.saga_id, d.name, d.version, i.business_key, i.status, i.reason, i.owner, i.due_at, i.created_at,
                i.updated_at
              from {q}instance i join {q}definition d on d.id = i.definition_id
            """;

    private static final String BY_NAME = "i.type_id = (select t.id from {q}type t where t.name = ?)";

    /** There are few types: so a key alone finds its rows by the index of types and keys. */
    private static final String OF_ANY_TYPE = "i.type_id in (select t.id from {q}type t)";

    private final Sql sql;
    private final Dialect dialect;

    ListStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    List<InstanceSummary> find(Connection connection, ListQuery query) throws SQLException {
        if (matchesNothing(query)) {
            return List.of();
        }
        Conditions conditions = conditions(query);
        return sql.queryWithin(
                SECONDS,
                connection,
                SELECT + conditions.where() + " order by i.saga_id desc limit ?",
                Rows::summary,
                conditions.values(query.limit()));
    }

    private static boolean matchesNothing(ListQuery query) {
        return !StorableText.storable(query.name())
                || !StorableText.storable(query.businessKey())
                || (query.step() != null && query.stepMarks().isEmpty())
                || (query.ids() != null && query.ids().isEmpty());
    }

    private Conditions conditions(ListQuery query) {
        Conditions conditions = new Conditions();
        SagaStatus status = query.status();
        if (status != null) {
            // spelled out: PostgreSQL has an index of those that are FAILED
            conditions.always("i.status = '" + status.name() + "'");
        }
        if (query.businessKey() != null && query.name() == null) {
            conditions.always(OF_ANY_TYPE);
        }
        return conditions
                .with(BY_NAME, query.name())
                .with("i.business_key = ?", query.businessKey())
                .withAny(
                        "i.steps like ? escape '!'",
                        query.stepMarks().stream().map(ListStatements::anywhere).toList())
                .with("i.created_at >= ?", time(query.from()))
                .with("i.created_at < ?", time(query.to()))
                .with("i.saga_id < ?", query.before())
                .with("i.saga_id = any(?)", query.ids() == null ? null : List.copyOf(query.ids()));
    }

    private @Nullable Object time(@Nullable Instant instant) {
        return instant == null ? null : dialect.time(instant);
    }

    private static String anywhere(String text) {
        return '%' + text.replace("!", "!!").replace("_", "!_").replace("%", "!%") + '%';
    }
}
