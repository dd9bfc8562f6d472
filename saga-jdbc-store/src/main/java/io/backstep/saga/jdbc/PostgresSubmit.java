package io.backstep.saga.jdbc;

import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The write of a batch of mutations in one statement. History and compensation log take what the update returns: a mutation whose
 * fence does not hold leaves nothing. They ask by {@code (x in (...)) is true}, which is looked up in a hash table: a join could only
 * be a loop over all pairs, since {@link PostgresDialect#BY_INDEX} forbids the others.
 */
record PostgresSubmit(String statement, List<@Nullable Object> parameters) {
    /** Of each number of rows there is a statement that the driver keeps prepared: not too many of them. */
    private static final int FEW = 4;

    private static final String INSTANCE = """
            with m as (select * from {rows}), u as (
              update {q}instance i set seq = i.seq + 1, status = m.status, reason = m.reason,
                  steps = coalesce(m.steps, i.steps),
                  owner = case when m.hold in ('RELEASE', 'END') then null else i.owner end,
                  due_at = case m.hold when 'KEEP' then i.due_at when 'END' then null
                    else clock_timestamp() + m.micros * interval '1 microsecond' end,
                  updated_at = clock_timestamp()
                from m where i.saga_id = m.saga_id and i.epoch = m.epoch and i.seq = m.seq
                returning i.saga_id
            )
            """;

    private static final String HISTORY = """
            , h as (
              insert into {q}step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, reason, result,
                  error_code, error_text, started_at, duration, node)
              select h.saga_id, h.seq, h.ordinal, h.step, h.phase, h.attempt, h.outcome, h.reason, h.result,
                  h.error_code, h.error_text, clock_timestamp() - h.duration * interval '1 microsecond', h.duration, h.node
                from {rows} where (h.saga_id in (select saga_id from u)) is true
            )
            """;

    private static final String COMPENSATIONS = """
            , c as (
              insert into {q}compensation_log as l (saga_id, step, position, status, retry_count, next_retry_at, request,
                  response, last_error, created_at, updated_at)
              select c.saga_id, c.step, c.position, c.status, c.retry_count,
                  clock_timestamp() + c.next_retry * interval '1 microsecond', c.request, c.response, c.last_error,
                  clock_timestamp(), clock_timestamp()
                from {rows} where (c.saga_id in (select saga_id from u)) is true
              on conflict (saga_id, step) do update set position = excluded.position, status = excluded.status,
                  retry_count = excluded.retry_count, next_retry_at = excluded.next_retry_at, request = excluded.request,
                  response = coalesce(excluded.response, l.response), last_error = coalesce(excluded.last_error, l.last_error),
                  updated_at = excluded.updated_at
            )
            """;

    private static final String MAIL = """
            , s as (
              update {q}signal s set handled_at = clock_timestamp(), kept = g.kept
                from {rows} where (g.saga_id in (select saga_id from u)) is true
                  and s.saga_id = g.saga_id and s.message_id = g.message_id and (s.handled_at is null or s.kept)
            )
            """;

    /** An id that is taken fails the whole statement: the child would be somebody else's saga. */
    private static final String CHILDREN = ", " + PostgresDialect.THESE + ", k as (\n" + PostgresDialect.INSERT_THESE
            + "where (n.parent_id in (select saga_id from u)) is true)\n";

    private static final String POSTS = """
            , o as (
              insert into {q}signal (saga_id, message_id, kind, reason, step, code, result, created_at)
              select p.saga_id, p.message_id, p.kind, p.reason, p.step, p.code, p.result, clock_timestamp()
                from {rows} where (p.sender in (select saga_id from u)) is true
              on conflict do nothing
            )
            """;

    private record Posted(UUID sender, Mail mail) {
        private @Nullable Object answer(Function<Mail.Answer, @Nullable Object> part) {
            return mail.answer() == null ? null : part.apply(mail.answer());
        }
    }

    private record Merged(UUID sagaId, String messageId, boolean kept) {}

    private record Line(Fence fence, int ordinal, HistoryEntry entry) {}

    private record Compensated(UUID sagaId, CompensationEntry entry) {}

    private static final Columns<Mutation> MUTATIONS = new Columns<Mutation>()
            .with("saga_id", "uuid", row -> row.fence().sagaId())
            .with("epoch", "int8", row -> row.fence().epoch())
            .with("seq", "int8", row -> row.fence().seq())
            .with("status", "text", row -> row.status().name())
            .with("reason", "text", row -> Rows.name(row.reason()))
            .with("steps", "text", Mutation::steps)
            .with("hold", "text", row -> row.hold().kind().name())
            .with("micros", "int8", row -> Rows.microsOrNull(row.hold().duration()));

    private static final Columns<Line> LINES = new Columns<Line>()
            .with("saga_id", "uuid", line -> line.fence().sagaId())
            .with("seq", "int8", line -> line.fence().seq() + 1)
            .with("ordinal", "int4", Line::ordinal)
            .with("step", "text", line -> line.entry().step())
            .with("phase", "text", line -> line.entry().phase().name())
            .with("attempt", "int4", line -> line.entry().attempt())
            .with("outcome", "text", line -> line.entry().outcome().name())
            .with("reason", "text", line -> Rows.name(line.entry().reason()))
            .with("result", "text", line -> line.entry().result())
            .with("error_code", "text", line -> line.entry().errorCode())
            .with("error_text", "text", line -> line.entry().errorText())
            .with("duration", "int8", line -> Rows.micros(line.entry().duration()))
            .with("node", "text", line -> line.entry().node());

    private static final Columns<Compensated> COMPENSATED = new Columns<Compensated>()
            .with("saga_id", "uuid", Compensated::sagaId)
            .with("step", "text", row -> row.entry().step())
            .with("position", "int4", row -> row.entry().position())
            .with("status", "text", row -> row.entry().status().name())
            .with("retry_count", "int4", row -> row.entry().retryCount())
            .with("next_retry", "int8", row -> Rows.microsOrNull(row.entry().nextRetryIn()))
            .with("request", "text", row -> row.entry().request())
            .with("response", "text", row -> row.entry().response())
            .with("last_error", "text", row -> row.entry().lastError());

    private static final Columns<Merged> MERGED = new Columns<Merged>()
            .with("saga_id", "uuid", Merged::sagaId)
            .with("message_id", "text", Merged::messageId)
            .with("kept", "bool", Merged::kept);

    private static final Columns<Posted> POSTED = new Columns<Posted>()
            .with("sender", "uuid", Posted::sender)
            .with("saga_id", "uuid", post -> post.mail().sagaId())
            .with("message_id", "text", post -> post.mail().messageId())
            .with("kind", "text", post -> post.mail().kind().name())
            .with("reason", "text", post -> post.mail().reason())
            .with("step", "text", post -> post.answer(Mail.Answer::step))
            .with("code", "text", post -> post.answer(Mail.Answer::code))
            .with("result", "text", post -> post.answer(Mail.Answer::result));

    static PostgresSubmit of(Connection connection, List<Mutation> batch) throws SQLException {
        List<Line> lines = new ArrayList<>();
        List<Compensated> compensated = new ArrayList<>();
        List<Merged> merged = new ArrayList<>();
        List<NewInstance> children = new ArrayList<>();
        List<Posted> posted = new ArrayList<>();
        for (Mutation mutation : batch) {
            UUID id = mutation.fence().sagaId();
            for (int ordinal = 0; ordinal < mutation.history().size(); ordinal++) {
                lines.add(new Line(mutation.fence(), ordinal, mutation.history().get(ordinal)));
            }
            mutation.compensations().forEach(entry -> compensated.add(new Compensated(id, entry)));
            mutation.mail().forEach(messageId -> merged.add(new Merged(id, messageId, false)));
            mutation.kept().forEach(messageId -> merged.add(new Merged(id, messageId, true)));
            children.addAll(mutation.children());
            mutation.posts().forEach(post -> posted.add(new Posted(id, post)));
        }
        boolean arrays = batch.size() > 1
                || Stream.of(lines, compensated, merged, children, posted).anyMatch(rows -> rows.size() > FEW);
        Parts parts = new Parts(arrays ? connection : null, new StringBuilder(), new ArrayList<>());
        parts.add(INSTANCE, "m", MUTATIONS, batch);
        parts.add(HISTORY, "h", LINES, lines);
        parts.add(COMPENSATIONS, "c", COMPENSATED, compensated);
        parts.add(MAIL, "g", MERGED, merged);
        parts.add(CHILDREN, "n", PostgresDialect.STARTS, children);
        parts.add(POSTS, "p", POSTED, posted);
        return new PostgresSubmit(
                parts.statement.append("select saga_id from u").toString(), parts.parameters);
    }

    private record Parts(@Nullable Connection arrays, StringBuilder statement, List<@Nullable Object> parameters) {
        <T> void add(String part, String alias, Columns<T> columns, List<T> rows) throws SQLException {
            if (rows.isEmpty()) {
                return;
            }
            String source = arrays == null ? columns.values(rows.size()) : columns.arrays();
            statement.append(part.replace("{rows}", source + columns.as(alias)));
            parameters.addAll(arrays == null ? columns.parameters(rows) : columns.parameters(arrays, rows));
        }
    }
}
