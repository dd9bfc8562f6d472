package io.backstep.saga.jdbc;

import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** How due sagas are taken on PostgreSQL: in one round trip, with what comes with them and the commit. */
final class PostgresClaims {
    /** Notes what it takes in a setting of the transaction, for a statement that goes along with it. */
    private static final String CLAIM =
            """
            with due as materialized (
              select l.saga_id, l.definition_id, l.owner, l.due_at
                from unnest(?::int[]) as d(id) cross join lateral (
                  select saga_id, definition_id, owner, due_at from {q}instance
                    where definition_id = d.id and due_at <= statement_timestamp()
                      and due_at > {back} and {known}
                    order by due_at limit ? for update skip locked) l
            ), chosen as materialized (
              select saga_id, owner from (
                  select saga_id, owner, due_at, row_number() over (partition by definition_id order by due_at) as place
                    from due) ranked
                order by place, due_at limit ?
            ), noted as materialized (
              select set_config('saga.taken', array_agg(saga_id)::text, true) from chosen
            ), taken as (
              update {q}instance i set owner = ?, due_at = clock_timestamp() + ? * interval '1 microsecond',
                  epoch = i.epoch + 1, updated_at = clock_timestamp()
                from chosen where i.saga_id = chosen.saga_id
                returning i.*, chosen.owner is not null as taken_over
            )
            """.replace("{known}", Words.KNOWN).replace("{back}", PostgresDialect.LATER_OF_STATEMENT)
                    + Reads.COLUMNS
                            .replace("{clock}", ", clock_timestamp() as clock, i.taken_over")
                            .replace("{q}instance i", "taken i cross join noted");

    private static final String THEIR_BELONGINGS =
            ";\n" + Belongings.OF.replace("{ids}", "nullif(current_setting('saga.taken', true), '')::uuid[]");

    private final Sql sql;
    private final Reach reach;

    PostgresClaims(Sql sql, Reach reach) {
        this.sql = sql;
        this.reach = reach;
    }

    List<Claimed> claim(Connection connection, ClaimRequest request) throws SQLException {
        Reach.Look look = reach.begin(request.definitionIds());
        List<Taken> all = new ArrayList<>();
        Belongings belongings = new Belongings();
        sql.readAndCommit(
                connection,
                PostgresDialect.BEGIN + PostgresDialect.BY_INDEX + CLAIM + THEIR_BELONGINGS + PostgresDialect.COMMIT,
                List.of(
                        PostgresDialect.SETTINGS,
                        row -> all.add(Taken.read(row, row.getBoolean("taken_over"))),
                        belongings::add),
                connection.createArrayOf("int4", request.definitionIds().toArray()),
                -Rows.micros(look.back()),
                request.limit(),
                request.limit(),
                request.lease().owner(),
                Rows.micros(request.lease().duration()));
        if (all.size() < request.limit()) {
            reach.nothingLeft(look);
        }
        return belongings.of(all);
    }
}
