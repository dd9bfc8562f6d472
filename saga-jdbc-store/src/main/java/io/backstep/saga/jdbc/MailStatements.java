package io.backstep.saga.jdbc;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Sweep;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of mail. */
final class MailStatements {
    /** Of each sweep: what is left over comes next time. */
    private static final int MOST = 1000;

    private static final String POST = """
            insert into {q}signal (saga_id, message_id, kind, reason, step, code, result, created_at)
              values (?, ?, ?, ?, ?, ?, ?, {clock})
            """;

    private static final String THERE = "select message_id from {q}signal where saga_id = ? and message_id = ?";

    private static final String HANDLED = """
            update {q}signal set handled_at = {clock}, kept = ? where saga_id = ? and message_id = ?
              and (handled_at is null or kept)
            """;

    private static final String NEW = THERE + " and (handled_at is null or kept)";

    private static final String LOCK = NEW + " for update skip locked";

    /** What {@link #mail} reads. */
    private static final String COLUMNS = "s.saga_id, s.message_id, s.kind, s.reason, s.step, s.code, s.result";

    private static final String NEW_OF = """
            select %s from {q}signal s
              where s.saga_id = any(?) and (s.handled_at is null or s.kept) order by s.id
            """.formatted(COLUMNS);

    private static final int NO_DEFINITION = -1;

    /** See {@link #toDo}. */
    private static final String TO_DO = """
            from {q}signal s left join {q}instance i on i.saga_id = s.saga_id
              where s.handled_at is null and (i.saga_id is null
                or i.status in ('COMPENSATED', 'FORCE_COMPLETED')
                or (i.status = 'COMPLETED' and (s.kind <> 'UNDO' or i.definition_id in ({known})))
                or (%s and (i.owner = ? or (i.owner is null and i.due_at > {clock}))))
            """.formatted(Words.known("i."));

    /** Mail for sagas of the asking owner comes last: it may wait here for a while. */
    private static final String SWEEP = """
            select %s, i.status, i.owner, i.definition_id
              {to do}
              order by case when i.owner is null then 0 else 1 end, s.id limit ?
            """.formatted(COLUMNS);

    private static final String DUE = """
            update {q}instance set due_at = {clock}, updated_at = {clock}
              where saga_id = ? and owner is null and due_at > {clock} and %s
            """.formatted(Words.KNOWN);

    private enum Fate {
        DELIVERED,
        HASTENED,
        PUT_ASIDE
    }

    private record Swept(
            UUID sagaId,
            String messageId,
            @Nullable Mail mail,
            @Nullable Integer definitionId,
            Fate fate) {}

    private final Sql sql;
    private final Dialect dialect;

    MailStatements(Sql sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    /** Mail that a sweep does something about, for so many {@link #known} definitions and an owner. */
    static String toDo(int known) {
        return TO_DO.replace("{known}", String.join(", ", Collections.nCopies(known, "?")));
    }

    /** The definitions that a node knows, at least one. */
    static List<Integer> known(List<Integer> definitionIds) {
        return definitionIds.isEmpty() ? List.of(NO_DEFINITION) : definitionIds;
    }

    private String timed(String statement) {
        return statement.replace("{clock}", dialect.clock());
    }

    /** Whether somebody else has locked some of this mail; what is free is locked. */
    boolean isLocked(Connection connection, Mutation mutation) throws SQLException {
        UUID sagaId = mutation.fence().sagaId();
        for (String messageId : Stream.concat(mutation.mail().stream(), mutation.kept().stream())
                .toList()) {
            if (!has(connection, LOCK, sagaId, messageId) && has(connection, NEW, sagaId, messageId)) {
                return true;
            }
        }
        return false;
    }

    private boolean has(Connection connection, String query, UUID sagaId, String messageId) throws SQLException {
        return !sql.query(connection, query, row -> true, sagaId, messageId).isEmpty();
    }

    boolean post(Connection connection, Mail mail) throws SQLException {
        return !isThere(connection, mail.sagaId(), mail.messageId()) && inserted(connection, mail);
    }

    /**
     * An insert that fails keeps a lock on the row that is there, on MariaDB, until the transaction ends: the saga's owner cannot merge
     * it till then. A snapshot of before the row hides it here, and no read would find it without the same lock.
     */
    boolean isThere(Connection connection, UUID sagaId, String messageId) throws SQLException {
        return has(connection, THERE, sagaId, messageId);
    }

    private boolean inserted(Connection connection, Mail mail) throws SQLException {
        Mail.Answer answer = mail.answer();
        return dialect.insertInside(
                connection,
                timed(POST),
                mail.sagaId(),
                mail.messageId(),
                mail.kind().name(),
                mail.reason(),
                answer == null ? null : answer.step(),
                answer == null ? null : answer.code(),
                answer == null ? null : answer.result());
    }

    void handled(Connection connection, Mutation mutation) throws SQLException {
        UUID sagaId = mutation.fence().sagaId();
        for (String messageId : mutation.mail()) {
            sql.update(connection, timed(HANDLED), false, sagaId, messageId);
        }
        for (String messageId : mutation.kept()) {
            sql.update(connection, timed(HANDLED), true, sagaId, messageId);
        }
    }

    /** The mail of some sagas that is new or kept, oldest first. */
    Map<UUID, List<Mail>> newOf(Connection connection, Collection<UUID> sagaIds) throws SQLException {
        Map<UUID, List<Mail>> mail = new HashMap<>();
        sql.query(connection, NEW_OF, MailStatements::mail, List.copyOf(sagaIds)).stream()
                .flatMap(Optional::stream)
                .forEach(one -> mail.computeIfAbsent(one.sagaId(), id -> new ArrayList<>())
                        .add(one));
        return mail;
    }

    /**
     * In a transaction of ours that has just begun; the caller commits. Gives the mail of the sagas that this owner holds, and to undo others of
     * these definitions.
     */
    Sweep sweep(Connection connection, String owner, List<Integer> definitionIds, Hints hints) throws SQLException {
        dialect.open(connection);
        List<Object> parameters = new ArrayList<>(known(definitionIds));
        String sweep = timed(SWEEP.replace("{to do}", toDo(parameters.size())));
        parameters.addAll(List.of(owner, MOST));
        List<Swept> all = sql.query(connection, sweep, MailStatements::swept, parameters.toArray());
        hints.after(hasten(connection, all), connection);
        List<Mail> delivered = new ArrayList<>();
        List<Sweep.PutAside> putAside = new ArrayList<>();
        for (Swept one : all) {
            boolean aside = one.fate() == Fate.PUT_ASIDE && putAside(connection, one);
            if (aside && one.mail() != null) {
                putAside.add(new Sweep.PutAside(one.mail(), one.definitionId()));
            } else if (one.fate() == Fate.DELIVERED && one.mail() != null) {
                delivered.add(one.mail());
            }
        }
        return new Sweep(delivered, putAside);
    }

    /** Whether some became due: perhaps of a version that this node does not know. */
    private boolean hasten(Connection connection, List<Swept> all) throws SQLException {
        List<UUID> waiting = all.stream()
                .filter(one -> one.fate() == Fate.HASTENED && one.mail() != null)
                .map(Swept::sagaId)
                .distinct()
                .toList();
        Set<UUID> free = waiting.isEmpty() ? new HashSet<>() : dialect.lock(connection, waiting);
        int due = 0;
        for (UUID sagaId : free) {
            due += sql.update(connection, timed(DUE), sagaId);
        }
        return due > 0;
    }

    /** Waits for nobody: what is locked is being put aside, or deleted. */
    private boolean putAside(Connection connection, Swept one) throws SQLException {
        return has(connection, LOCK, one.sagaId(), one.messageId())
                && sql.update(connection, timed(HANDLED), false, one.sagaId(), one.messageId()) > 0;
    }

    private static Swept swept(ResultSet row) throws SQLException {
        String status = row.getString("status");
        Mail mail = mail(row).orElse(null);
        boolean active = "RUNNING".equals(status) || "COMPENSATING".equals(status);
        Fate owned = row.getString("owner") == null ? Fate.HASTENED : Fate.DELIVERED;
        return new Swept(
                Rows.id(row, "saga_id"),
                row.getString("message_id"),
                mail,
                row.getObject("definition_id", Integer.class),
                active ? owned : isStillFor(status, mail) ? Fate.DELIVERED : Fate.PUT_ASIDE);
    }

    private static boolean isStillFor(@Nullable String status, @Nullable Mail mail) {
        SagaStatus known = status == null ? null : Words.find(SagaStatus.class, status);
        return known != null && mail != null && mail.kind().isFor(known);
    }

    /** Empty for a kind that this version does not know: a node that does will take it. */
    static Optional<Mail> mail(ResultSet row) throws SQLException {
        UUID sagaId = Rows.id(row, "saga_id");
        String messageId = row.getString("message_id");
        String kind = row.getString("kind");
        String reason = row.getString("reason");
        String step = row.getString("step");
        Mail.Answer answer =
                step == null ? null : new Mail.Answer(step, row.getString("result"), row.getString("code"));
        return Stream.of(Mail.Kind.values())
                .filter(known -> known.name().equals(kind))
                .findFirst()
                .map(known -> new Mail(sagaId, messageId, known, reason, answer));
    }
}
