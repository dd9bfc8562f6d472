package io.backstep.saga.spring.admin;

import io.backstep.saga.Resolution;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminAnswer;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the answers are made of. The names of the components are the names in the JSON. */
final class Lines {
    private Lines() {}

    record Sagas(List<InstanceSummary> sagas, @Nullable String next) {}

    record Audit(List<AuditLine> audit, @Nullable String next) {}

    record History(List<HistoryLine> history, @Nullable String next) {}

    record Accepted(UUID sagaId, String action, boolean pending, String before, String after, String note) {
        static Accepted of(AdminAnswer answer) {
            return new Accepted(
                    answer.sagaId(),
                    answer.action().code(),
                    answer.pending(),
                    answer.before(),
                    answer.after(),
                    answer.pending()
                            ? "accepted: it takes effect after the current attempt, or when the parked saga is retried"
                            : "done");
        }
    }

    record Detail(
            InstanceLine instance,
            boolean held,
            List<StepLine> steps,
            List<CompensationLine> compensations,
            List<MailLine> mail,
            List<String> allowed,
            String why) {
        static Detail of(SagaDetail detail, Payload payload) {
            return new Detail(
                    InstanceLine.of(detail, payload),
                    detail.held(),
                    detail.steps().stream()
                            .map(step -> StepLine.of(step, payload))
                            .toList(),
                    detail.compensations().stream()
                            .map(row -> CompensationLine.of(row, payload))
                            .toList(),
                    detail.mail().stream()
                            .map(mail ->
                                    new MailLine(mail.messageId(), mail.kind().name(), payload.error(mail.reason())))
                            .toList(),
                    codes(detail.allowed()),
                    detail.why());
        }
    }

    static List<String> codes(List<AdminAction> actions) {
        return actions.stream().map(AdminAction::code).toList();
    }

    record MailLine(String messageId, String kind, @Nullable Object reason) {}

    /**
     * The row of a saga.
     *
     * @param storedSteps the step states as they are stored, when they cannot be read, else null
     */
    record InstanceLine(
            UUID sagaId,
            String name,
            int version,
            @Nullable String businessKey,
            String status,
            @Nullable String reason,
            @Nullable String owner,
            @Nullable Instant dueAt,
            @Nullable Instant deadline,
            Instant createdAt,
            Instant updatedAt,
            long epoch,
            long seq,
            @Nullable Object input,
            @Nullable Object storedSteps) {
        static InstanceLine of(SagaDetail detail, Payload payload) {
            InstanceRow row = detail.row();
            return new InstanceLine(
                    row.sagaId(),
                    row.name(),
                    row.version(),
                    row.businessKey(),
                    row.status().name(),
                    row.reason() == null ? null : row.reason().name(),
                    row.owner(),
                    row.dueAt(),
                    row.deadline(),
                    row.createdAt(),
                    row.updatedAt(),
                    row.epoch(),
                    row.seq(),
                    payload.shown(row.input()),
                    detail.steps().isEmpty() ? payload.shown(row.steps()) : null);
        }
    }

    record StepLine(
            String name,
            String status,
            int failures,
            int interruptions,
            int takeovers,
            boolean inDoubt,
            @Nullable Integer probe,
            boolean awaiting,
            @Nullable Instant nextAttemptAt,
            @Nullable Object result,
            @Nullable String lastOutcome,
            @Nullable Object lastError,
            List<Resolution> resolutions) {
        static StepLine of(SagaDetail.StepLine step, Payload payload) {
            return new StepLine(
                    step.name(),
                    step.status().name(),
                    step.failures(),
                    step.interruptions(),
                    step.takeovers(),
                    step.inDoubt(),
                    step.probe(),
                    step.awaiting(),
                    step.nextAttemptAt(),
                    payload.shown(step.result()),
                    step.lastOutcome() == null ? null : step.lastOutcome().name(),
                    payload.error(step.lastError()),
                    step.resolutions());
        }
    }

    record CompensationLine(
            String step,
            int position,
            String status,
            int retries,
            @Nullable Instant nextRetryAt,
            @Nullable Object request,
            @Nullable Object response,
            @Nullable Object lastError,
            Instant createdAt,
            Instant updatedAt) {
        static CompensationLine of(CompensationRow row, Payload payload) {
            return new CompensationLine(
                    row.entry().step(),
                    row.entry().position(),
                    row.entry().status().name(),
                    row.entry().retryCount(),
                    row.nextRetryAt(),
                    payload.shown(row.entry().request()),
                    payload.shown(row.entry().response()),
                    payload.error(row.entry().lastError()),
                    row.createdAt(),
                    row.updatedAt());
        }
    }

    record HistoryLine(
            long seq,
            int ordinal,
            String step,
            String phase,
            int attempt,
            String outcome,
            @Nullable String reason,
            @Nullable Object result,
            @Nullable String errorCode,
            @Nullable Object errorText,
            Instant startedAt,
            long durationMillis,
            String node) {
        static HistoryLine of(HistoryRow row, Payload payload) {
            return new HistoryLine(
                    row.seq(),
                    row.ordinal(),
                    row.entry().step(),
                    row.entry().phase().name(),
                    row.entry().attempt(),
                    row.entry().outcome().name(),
                    row.entry().reason() == null ? null : row.entry().reason().name(),
                    payload.shown(row.entry().result()),
                    row.entry().errorCode(),
                    payload.error(row.entry().errorText()),
                    row.startedAt(),
                    row.entry().duration().toMillis(),
                    row.entry().node());
        }
    }

    record AuditLine(
            long id,
            Instant at,
            UUID sagaId,
            String action,
            String actor,
            String reason,
            boolean forced,
            String before,
            String after,
            boolean pending,
            @Nullable String requestKey,
            String node) {
        static AuditLine of(AuditRow row) {
            return new AuditLine(
                    row.id(),
                    row.at(),
                    row.entry().sagaId(),
                    row.entry().action(),
                    row.entry().actor(),
                    row.entry().reason(),
                    row.entry().forced(),
                    row.entry().before(),
                    row.entry().after(),
                    row.entry().accepted(),
                    row.entry().requestKey(),
                    row.entry().node());
        }
    }
}
