package io.backstep.saga.spring.admin;

import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Subject;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The answers to GET. */
final class Reads {
    private static final String DECODE = "decode";
    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_KEY = 200;
    private static final Pattern PLACE = Pattern.compile("([0-9]{1,18})\\.([0-9]{1,9})");

    private final SagaAdmin admin;
    private final Gate gate;

    Reads(SagaAdmin admin, Gate gate) {
        this.admin = admin;
        this.gate = gate;
    }

    Answer sagas(HttpServletRequest request, Caller caller) {
        Query query = Query.of(
                "sagas", request, List.of("status", "name", "businessKey", "step", "from", "to", "cursor", "size"));
        int size = query.size();
        List<InstanceSummary> found = admin.list(new ListQuery(
                query.status(),
                query.text("name", LONGEST_NAME),
                query.text("businessKey", LONGEST_KEY),
                query.text("step", LONGEST_NAME),
                query.time("from"),
                query.time("to"),
                Cursor.position(query),
                size + 1));
        List<InstanceSummary> page = page(found, size).stream()
                .filter(saga -> gate.mayView(caller, saga))
                .toList();
        return Answer.ok(new Lines.Sagas(page, next(found, size, saga -> Cursor.of(query.filter(), saga.sagaId()))));
    }

    Answer saga(HttpServletRequest request, Caller caller, UUID sagaId) {
        boolean decode = Query.of("saga", request, List.of(DECODE)).flag(DECODE);
        Subject subject = gate.saga(caller, sagaId);
        SagaDetail detail = admin.find(sagaId).orElseThrow(() -> Gate.unknown(sagaId));
        boolean allowed = seesPayloads(caller, subject);
        if (decode) {
            AdminRequest by = AdminRequest.by(caller.name(), "the detail was asked for");
            detail = allowed ? admin.decoded(detail, by) : admin.refused(detail, by);
        }
        return Answer.ok(
                Lines.Detail.of(detail, new Payload(allowed)), new Answer.Header("ETag", '"' + detail.version() + '"'));
    }

    Answer history(HttpServletRequest request, Caller caller, UUID sagaId) {
        Query query = Query.of("history", request, List.of("after", "size", DECODE));
        int size = query.size();
        HistoryRow.Place after = place(query.raw("after"));
        Subject subject = gate.saga(caller, sagaId);
        boolean allowed = seesPayloads(caller, subject);
        Payload payload = new Payload(allowed);
        List<HistoryRow> found = admin.history(sagaId, after, size + 1);
        InstanceSummary saga = subject.saga();
        if (query.flag(DECODE) && saga != null) {
            AdminRequest by = AdminRequest.by(caller.name(), "the history was asked for");
            found = allowed ? admin.decoded(saga, found, by) : admin.refused(saga, found, by);
        }
        return Answer.ok(new Lines.History(
                page(found, size).stream()
                        .map(row -> Lines.HistoryLine.of(row, payload))
                        .toList(),
                next(found, size, row -> row.seq() + "." + row.ordinal())));
    }

    Answer audit(HttpServletRequest request, Caller caller) {
        Query query = Query.of("audit", request, List.of("sagaId", "cursor", "size"));
        int size = query.size();
        UUID position = Cursor.position(query);
        Long before = position == null ? null : position.getLeastSignificantBits();
        List<AuditRow> found = admin.audit(new AuditQuery(query.id("sagaId"), null, before, size + 1));
        List<AuditRow> page = page(found, size);
        Set<UUID> visible = gate.visible(
                caller, page.stream().map(row -> row.entry().sagaId()).collect(Collectors.toSet()));
        return Answer.ok(new Lines.Audit(
                page.stream()
                        .filter(row -> visible.contains(row.entry().sagaId()))
                        .map(Lines.AuditLine::of)
                        .toList(),
                next(found, size, row -> Cursor.of(query.filter(), new UUID(0, row.id())))));
    }

    private static boolean seesPayloads(Caller caller, Subject subject) {
        return caller.may(Right.SEE_PAYLOADS) && caller.may(Right.SEE_PAYLOADS, subject);
    }

    /** One more than a page was asked for, to know whether there is another page. */
    private static <T> List<T> page(List<T> found, int size) {
        return found.subList(0, Math.min(size, found.size()));
    }

    private static <T> @Nullable String next(List<T> found, int size, Function<T, String> cursor) {
        return found.size() > size ? cursor.apply(found.get(size - 1)) : null;
    }

    private static HistoryRow.@Nullable Place place(@Nullable String after) {
        if (after == null) {
            return null;
        }
        Matcher place = PLACE.matcher(after);
        if (!place.matches()) {
            throw Query.bad("after", after, "what the page before said");
        }
        return new HistoryRow.Place(Long.parseLong(place.group(1)), Integer.parseInt(place.group(2)));
    }
}
