package io.backstep.saga.jdbc;

import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Mail;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What comes with sagas that are taken: the results of their steps, and their mail that is new or kept. Read in a statement of its own, after the rows
 * are locked: it sees what their last owners have written.
 */
final class Belongings {
    /** Two lists in one, each in its order: a claim is as fast as its statements are few. {@code {ids}} stands for an array. */
    static final String OF = """
            select saga_id, step, result, seq as id, null as message_id, null as kind, null as reason, null as code
              from {q}step_history
              where saga_id = any({ids}) and phase in ('ACTION', 'PROBE') and outcome = 'SUCCEEDED' and result is not null
            union all
            select saga_id, step, result, id, message_id, kind, reason, code from {q}signal
              where saga_id = any({ids}) and (handled_at is null or kept)
              order by id
            """;

    private static final String OF_THESE = OF.replace("{ids}", "?");

    private final Map<UUID, Map<String, String>> results = new HashMap<>();
    private final Map<UUID, List<Mail>> newMail = new HashMap<>();

    /** Of sagas that this transaction has taken. */
    static List<Claimed> with(Sql sql, Connection connection, List<Taken> all) throws SQLException {
        if (all.isEmpty()) {
            return List.of();
        }
        List<UUID> ids = all.stream().map(taken -> taken.row().sagaId()).toList();
        Belongings belongings = new Belongings();
        sql.read(connection, OF_THESE, List.of(belongings::add), ids, ids);
        return belongings.of(all);
    }

    void add(ResultSet row) throws SQLException {
        UUID sagaId = Rows.id(row, "saga_id");
        if (row.getString("message_id") == null) {
            results.computeIfAbsent(sagaId, id -> new HashMap<>()).put(row.getString("step"), row.getString("result"));
        } else {
            MailStatements.mail(row)
                    .ifPresent(one -> newMail.computeIfAbsent(sagaId, id -> new ArrayList<>())
                            .add(one));
        }
    }

    List<Claimed> of(List<Taken> all) {
        return all.stream().map(this::of).toList();
    }

    private Claimed of(Taken taken) {
        UUID sagaId = taken.row().sagaId();
        return new Claimed(
                taken.row(),
                taken.takenOver(),
                taken.age(),
                since(taken.row().createdAt(), taken.row().deadline()),
                results.getOrDefault(sagaId, Map.of()),
                newMail.getOrDefault(sagaId, List.of()));
    }

    private static @Nullable Duration since(Instant created, @Nullable Instant deadline) {
        return deadline == null ? null : Duration.between(created, deadline);
    }
}
