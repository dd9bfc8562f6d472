package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminAnswer;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Caller;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Right;
import io.backstep.saga.spring.admin.SagaAdminAuthorizer.Subject;
import io.backstep.saga.store.Mail;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The answers to POST. */
final class Operations {
    private static final String IF_MATCH = "If-Match";
    private static final String KEY = "Idempotency-Key";
    private static final int LONGEST_KEY = 200;
    private static final Pattern TAG = Pattern.compile("\"([^\",]{0,100})\"");

    private final SagaAdmin admin;
    private final Gate gate;
    private final boolean requireIfMatch;

    Operations(SagaAdmin admin, Gate gate, boolean requireIfMatch) {
        this.admin = admin;
        this.gate = gate;
        this.requireIfMatch = requireIfMatch;
    }

    Answer act(HttpServletRequest request, Caller caller, UUID sagaId, AdminAction action) throws IOException {
        AdminRequest wanted = wanted(request, caller, body(request, caller, action));
        requireOperator(caller, sagaId);
        AdminAnswer answer = admin.act(action, sagaId, wanted);
        return new Answer(answer.pending() ? 202 : 200, List.of(), Lines.Accepted.of(answer));
    }

    Answer resolve(HttpServletRequest request, Caller caller, UUID sagaId, String step) throws IOException {
        ActionBody body = body(request, caller, AdminAction.RESOLVE);
        AdminRequest wanted = wanted(request, caller, body);
        requireOperator(caller, sagaId);
        AdminAnswer answer = admin.resolve(sagaId, step, body.told(), body.result(), wanted);
        return new Answer(200, List.of(), Lines.Accepted.of(answer));
    }

    private static ActionBody body(HttpServletRequest request, Caller caller, AdminAction action) throws IOException {
        Gate.require(caller, Right.OPERATE);
        Headers.checkContent(request);
        Query.none(request);
        return ActionBody.read(request, action);
    }

    private void requireOperator(Caller caller, UUID sagaId) {
        Subject subject = gate.saga(caller, sagaId);
        Gate.require(caller, Right.OPERATE, subject);
    }

    private AdminRequest wanted(HttpServletRequest request, Caller caller, ActionBody body) {
        String reason = SagaRequestException.requireText("reason", body.reason(), Mail.LONGEST_REASON);
        return new AdminRequest(caller.name(), reason, body.force(), version(request), key(request));
    }

    private static @Nullable String key(HttpServletRequest request) {
        String key = Headers.single(request, KEY);
        return key == null ? null : SagaRequestException.requireText(KEY, key, LONGEST_KEY);
    }

    /** Null when any version will do. */
    private @Nullable String version(HttpServletRequest request) {
        String match = Headers.single(request, IF_MATCH);
        if (requireIfMatch && (match == null || match.equals("*"))) {
            throw new RefusedException(
                    428, "SAGA-HTTP-428", "If-Match is missing; look at the saga, and send the ETag of that answer");
        }
        if (match == null || match.equals("*")) {
            return null;
        }
        Matcher tag = TAG.matcher(match);
        if (!tag.matches()) {
            throw Query.bad(IF_MATCH, match, "the ETag of the saga as it was sent, or *");
        }
        return tag.group(1);
    }
}
