package io.backstep.saga.jdbc;

import io.backstep.saga.store.Outlook;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Whether there is something to do: the first due time of the definitions, and whether there is mail to go through. Locks nothing. */
final class Looks {
    /** In the order of the index, of which it reads one entry. */
    private static final String FIRST = """
            (select due_at from {q}instance {by_due} where definition_id = ? and due_at is not null and due_at > {back} and %s
              order by due_at limit 1)
            """.formatted(Words.KNOWN);

    private static final String LOOK = """
            select min(d.due_at) as due_at, {clock} as clock,
                (select count(*) from (select s.id {to do} limit 1) there) as mail
              from ({first}) d
            """;

    private final Dialect dialect;
    private final Reach reach;
    private final Map<Integer, String> bySize = new ConcurrentHashMap<>();

    Looks(Dialect dialect, Reach reach) {
        this.dialect = dialect;
        this.reach = reach;
    }

    /** First and last in a transaction of ours. */
    Outlook look(Connection connection, String owner, List<Integer> definitionIds) throws SQLException {
        List<Integer> ids = MailStatements.known(definitionIds);
        List<Object> parameters = new ArrayList<>(ids);
        parameters.add(owner);
        Reach.Look back = reach.begin(definitionIds);
        ids.forEach(id -> parameters.addAll(List.of(id, -Rows.micros(back.back()))));
        String look = bySize.computeIfAbsent(ids.size(), this::statement);
        Outlook outlook = dialect.queryAlone(connection, look, Looks::outlook, parameters.toArray())
                .get(0);
        if (!outlook.isDue()) {
            reach.nothingLeft(back);
        }
        return outlook;
    }

    private String statement(int definitions) {
        String first = String.join(" union all ", Collections.nCopies(definitions, FIRST));
        return LOOK.replace("{first}", first)
                .replace("{to do}", MailStatements.toDo(definitions))
                .replace("{by_due}", dialect.byDue())
                .replace("{back}", dialect.laterOfStatement())
                .replace("{clock}", dialect.clock());
    }

    private static Outlook outlook(ResultSet row) throws SQLException {
        Instant due = Rows.instant(row, "due_at");
        Instant now = Rows.required(row, "clock");
        Duration untilDue = due == null ? null : due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
        return new Outlook(untilDue, row.getInt("mail") > 0);
    }
}
