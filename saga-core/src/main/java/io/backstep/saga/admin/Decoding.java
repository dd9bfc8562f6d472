package io.backstep.saga.admin;

import io.backstep.saga.Phase;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Mail;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decodes the payloads of one saga for somebody, and writes down who it was. What cannot be decoded stays as it is stored. */
final class Decoding {
    private static final String ACTION = "decode";

    private final Operators operators;
    private final UUID sagaId;

    Decoding(Operators operators, UUID sagaId) {
        this.operators = operators;
        this.sagaId = sagaId;
    }

    static boolean isEncoded(SagaDetail detail) {
        Stream<@Nullable String> steps =
                detail.steps().stream().flatMap(step -> Stream.of(step.result(), step.lastError()));
        Stream<@Nullable String> compensations = detail.compensations().stream()
                .map(CompensationRow::entry)
                .flatMap(entry -> Stream.of(entry.request(), entry.response(), entry.lastError()));
        return isEncoded(Stream.concat(Stream.of(detail.row().input()), Stream.concat(steps, compensations)));
    }

    static boolean isEncoded(List<HistoryRow> rows) {
        return isEncoded(
                rows.stream().map(HistoryRow::entry).flatMap(entry -> Stream.of(entry.result(), entry.errorText())));
    }

    private static boolean isEncoded(Stream<@Nullable String> stored) {
        return stored.filter(Objects::nonNull).anyMatch(text -> Payloads.keyId(text) != null);
    }

    /** Committed before anything is shown. */
    void audit(AdminRequest request, String status, boolean allowed) {
        if (operators.transactions().isActive()) {
            throw SagaAdminException.insideTransaction(sagaId, ACTION);
        }
        AuditEntry entry = new AuditEntry(
                sagaId,
                ACTION,
                request.actor(),
                request.reason(),
                false,
                status,
                allowed ? status : "refused",
                false,
                null,
                operators.nodeId());
        operators.inTransaction(() -> operators.store().audit(entry));
    }

    SagaDetail decoded(SagaDetail detail) {
        return new SagaDetail(
                detail.row()
                        .withInput(operators.decoded(
                                PayloadField.input(sagaId), detail.row().input())),
                detail.version(),
                detail.held(),
                detail.steps().stream().map(this::decoded).toList(),
                detail.compensations().stream().map(this::decoded).toList(),
                detail.mail().stream().map(this::decoded).toList(),
                detail.allowed(),
                detail.why());
    }

    private SagaDetail.StepLine decoded(SagaDetail.StepLine step) {
        return new SagaDetail.StepLine(
                step.name(),
                step.status(),
                step.failures(),
                step.interruptions(),
                step.takeovers(),
                step.inDoubt(),
                step.probe(),
                step.awaiting(),
                step.nextAttemptAt(),
                decoded(PayloadField.result(sagaId, step.name()), step.result()),
                step.lastOutcome(),
                decoded(PayloadField.error(sagaId, step.name()), step.lastError()),
                step.resolutions());
    }

    private CompensationRow decoded(CompensationRow row) {
        CompensationEntry entry = row.entry();
        CompensationEntry plain = new CompensationEntry(
                entry.step(),
                entry.position(),
                entry.status(),
                entry.retryCount(),
                entry.nextRetryIn(),
                decoded(PayloadField.result(sagaId, entry.step()), entry.request()),
                decoded(PayloadField.response(sagaId, entry.step()), entry.response()),
                decoded(PayloadField.error(sagaId, entry.step()), entry.lastError()));
        return new CompensationRow(plain, row.nextRetryAt(), row.createdAt(), row.updatedAt());
    }

    private Mail decoded(Mail mail) {
        Mail.Answer answer = mail.answer();
        return answer == null
                ? mail
                : new Mail(
                        mail.sagaId(),
                        mail.messageId(),
                        mail.kind(),
                        operators.decoded(PayloadField.error(sagaId, answer.step()), mail.reason()),
                        new Mail.Answer(
                                answer.step(),
                                decoded(PayloadField.result(sagaId, answer.step()), answer.result()),
                                answer.code()));
    }

    HistoryRow decoded(HistoryRow row) {
        HistoryEntry entry = row.entry();
        HistoryEntry plain = new HistoryEntry(
                entry.step(),
                entry.phase(),
                entry.attempt(),
                entry.outcome(),
                entry.reason(),
                decoded(
                        entry.phase() == Phase.SETTLEMENT
                                ? PayloadField.response(sagaId, entry.step())
                                : PayloadField.result(sagaId, entry.step()),
                        entry.result()),
                entry.errorCode(),
                decoded(PayloadField.error(sagaId, entry.step()), entry.errorText()),
                entry.duration(),
                entry.node());
        return new HistoryRow(row.seq(), row.ordinal(), plain, row.startedAt());
    }

    private @Nullable String decoded(PayloadField field, @Nullable String stored) {
        return stored == null ? null : operators.decoded(field, stored);
    }
}
