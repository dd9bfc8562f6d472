package io.backstep.saga.admin;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.store.AuditEntry;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What somebody asks for.
 *
 * @param action what is to be done
 * @param sagaId the saga
 * @param request who wants it, and why
 * @param verdict what came of a step; null when that is not what it is about
 */
record Wish(
        AdminAction action,
        UUID sagaId,
        AdminRequest request,
        @Nullable Verdict verdict) {
    Verdict told() {
        if (verdict == null) {
            throw new SagaRequestException(
                    "SAGA-REQ-001", "step", "step is missing; who resolves says of which step, and what came of it");
        }
        return verdict;
    }

    /** Whether it is what the audit tells of. */
    boolean isOf(AuditEntry entry) {
        return entry.action().equals(action.code()) && entry.after().endsWith(after());
    }

    AdminAnswer answer(boolean pending, String before, String after) {
        return new AdminAnswer(sagaId, action, pending, before, after);
    }

    String before(Seen seen) {
        StoredSaga stored = seen.stored();
        return verdict == null || stored == null
                ? ""
                : verdict.told(stored.status(verdict.step()).name());
    }

    String after() {
        return verdict == null ? "" : verdict.told(verdict.outcome().name());
    }

    /** For the history. */
    String note() {
        return "settled by " + request.actor() + ": " + request.reason();
    }
}
