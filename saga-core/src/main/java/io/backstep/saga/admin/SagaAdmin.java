package io.backstep.saga.admin;

import io.backstep.saga.Resolution;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.UnknownDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with sagas. Each action that is accepted and its row in the audit are committed together, in a transaction of
 * their own; inside a transaction of the caller's they are refused ({@code SAGA-ADMIN-008}). Safe for use by many threads. Who may do what is for the caller to
 * check.
 */
public final class SagaAdmin {
    private final SagaEngine engine;
    private final Actions actions;
    private final Details details;

    private SagaAdmin(SagaEngine engine) {
        this.engine = engine;
        this.actions = new Actions(engine.operators());
        this.details = new Details(engine.operators());
    }

    /**
     * Makes one for a node.
     *
     * @param engine the node, which need not run
     * @return the operators' side of it
     */
    public static SagaAdmin of(SagaEngine engine) {
        return new SagaAdmin(engine);
    }

    /**
     * Lists sagas.
     *
     * @param query which, and how many
     * @return the sagas, newest first
     */
    public List<InstanceSummary> list(ListQuery query) {
        return engine.operators().store().list(query);
    }

    /**
     * Finds what this node leaves alone: after a deployment that has taken a version away too early, or while another is under way.
     *
     * @return versions that it does not know, with sagas that wait for a node that does; at most a thousand are counted of each
     */
    public List<UnknownDefinition> unknownDefinitions() {
        return engine.operators().unknown();
    }

    /**
     * Finds how long the oldest sagas of this node's types have been under way, whatever they wait for: one that is retried without end is
     * no failure yet, and grows old.
     *
     * @return the age of the oldest saga that has neither ended nor is parked, by type; of the ten thousand of a version that are due first
     */
    public Map<String, Duration> oldest() {
        return engine.operators().oldest();
    }

    /**
     * Finds a saga, and what can be done with it.
     *
     * @param sagaId its id
     * @return the saga, or empty
     */
    public Optional<SagaDetail> find(UUID sagaId) {
        return details.of(sagaId);
    }

    /**
     * Finds the line of a saga in the list: cheaper than all that is known of it.
     *
     * @param sagaId its id
     * @return the line, or empty
     */
    public Optional<InstanceSummary> summary(UUID sagaId) {
        return engine.operators().store().find(sagaId).map(SagaAdmin::summary);
    }

    /**
     * Finds the lines of some sagas in the list, by one query.
     *
     * @param sagaIds their ids
     * @return the lines by id, of those that there are
     */
    public Map<UUID, InstanceSummary> summaries(Set<UUID> sagaIds) {
        return sagaIds.isEmpty()
                ? Map.of()
                : list(ListQuery.of(sagaIds)).stream()
                        .collect(Collectors.toMap(InstanceSummary::sagaId, Function.identity()));
    }

    private static InstanceSummary summary(InstanceRow row) {
        return new InstanceSummary(
                row.sagaId(),
                row.name(),
                row.version(),
                row.businessKey(),
                row.status(),
                row.reason(),
                row.owner(),
                row.dueAt(),
                row.createdAt(),
                row.updatedAt());
    }

    /**
     * Reads a part of the history of a saga.
     *
     * @param sagaId its id
     * @param after only lines after this place, or null for the first
     * @param limit how many at most
     * @return its lines, in order
     */
    public List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return engine.operators().store().history(sagaId, after, limit);
    }

    /**
     * Decodes the payloads of a saga, where a {@link io.backstep.saga.serialization.PayloadCodec} has encoded any: then a row in the audit says
     * who has seen them, and why. What cannot be decoded stays as it is stored. Whether somebody may see payloads is for the caller to check.
     *
     * @param detail what {@link #find} found
     * @param request who wants it, and why
     * @return the same, decoded
     */
    public SagaDetail decoded(SagaDetail detail, AdminRequest request) {
        return decoded(detail, request, true);
    }

    /**
     * Tells the audit that somebody wanted to see payloads and may not, where any are encoded.
     *
     * @param detail what {@link #find} found
     * @param request who wanted it, and why
     * @return the same, as it is stored
     */
    public SagaDetail refused(SagaDetail detail, AdminRequest request) {
        return decoded(detail, request, false);
    }

    private SagaDetail decoded(SagaDetail detail, AdminRequest request, boolean allowed) {
        if (!Decoding.isEncoded(detail)) {
            return detail;
        }
        InstanceRow row = detail.row();
        Decoding decoding = new Decoding(engine.operators(), row.sagaId());
        decoding.audit(request, Seen.shown(row.status(), row.reason()), allowed);
        return allowed ? decoding.decoded(detail) : detail;
    }

    /**
     * Decodes a part of the history of a saga, see {@link #decoded(SagaDetail, AdminRequest)}.
     *
     * @param saga whose
     * @param rows what {@link #history} read
     * @param request who wants it, and why
     * @return the same, decoded
     */
    public List<HistoryRow> decoded(InstanceSummary saga, List<HistoryRow> rows, AdminRequest request) {
        return decoded(saga, rows, request, true);
    }

    /**
     * Tells the audit that somebody wanted to see a history and may not, see {@link #refused(SagaDetail, AdminRequest)}.
     *
     * @param saga whose
     * @param rows what {@link #history} read
     * @param request who wanted it, and why
     * @return the same, as it is stored
     */
    public List<HistoryRow> refused(InstanceSummary saga, List<HistoryRow> rows, AdminRequest request) {
        return decoded(saga, rows, request, false);
    }

    private List<HistoryRow> decoded(
            InstanceSummary saga, List<HistoryRow> rows, AdminRequest request, boolean allowed) {
        if (!Decoding.isEncoded(rows)) {
            return rows;
        }
        Decoding decoding = new Decoding(engine.operators(), saga.sagaId());
        decoding.audit(request, Seen.shown(saga.status(), saga.reason()), allowed);
        return allowed ? rows.stream().map(decoding::decoded).toList() : rows;
    }

    /**
     * Reads the audit.
     *
     * @param query which rows
     * @return the rows, newest first
     */
    public List<AuditRow> audit(AuditQuery query) {
        return engine.operators().store().audit(query);
    }

    /**
     * Gets a parked saga moving in the direction that it had: fresh attempts, no deadline. With force also one that is not parked: what
     * is under way is broken off, counts as unknown, and is tried again.
     *
     * @param sagaId the saga
     * @param request who wants it, and why
     * @return what became of it
     * @throws SagaAdminException {@code SAGA-ADMIN-001} there is no such saga, {@code SAGA-ADMIN-002} its state does not allow it, {@code
     *     SAGA-ADMIN-003} an attempt is under way, {@code SAGA-ADMIN-004} this node does not know its definition or status, or cannot read it, {@code
     *     SAGA-ADMIN-005} it is not any more what the actor has seen, {@code SAGA-ADMIN-006} the request key was used for something else,
     *     {@code SAGA-ADMIN-007} it changes too fast
     */
    public AdminAnswer retry(UUID sagaId, AdminRequest request) {
        return act(AdminAction.RETRY, sagaId, request);
    }

    /**
     * Runs what is left to compensate of a saga that is parked on its way back; see {@link #retry}.
     *
     * @param sagaId the saga
     * @param request who wants it, and why
     * @return what became of it
     * @throws SagaAdminException see {@link #retry}
     */
    public AdminAnswer retryCompensation(UUID sagaId, AdminRequest request) {
        return act(AdminAction.RETRY_COMPENSATION, sagaId, request);
    }

    /**
     * Ends a saga as it is: FORCE_COMPLETED. Nothing more is run or undone.
     *
     * @param sagaId the saga
     * @param request who wants it, and why
     * @return what became of it
     * @throws SagaAdminException see {@link #retry}
     */
    public AdminAnswer forceComplete(UUID sagaId, AdminRequest request) {
        return act(AdminAction.FORCE_COMPLETE, sagaId, request);
    }

    /**
     * Turns a saga. While an attempt is under way this is accepted and pending.
     *
     * @param sagaId the saga
     * @param request who wants it, and why; force has no effect
     * @return what became of it
     * @throws SagaAdminException see {@link #retry}
     */
    public AdminAnswer compensate(UUID sagaId, AdminRequest request) {
        return act(AdminAction.COMPENSATE, sagaId, request);
    }

    /**
     * Cancels a saga: turns it because somebody does not want it any more. For a parked one this is pending until it is retried.
     *
     * @param sagaId the saga
     * @param request who wants it, and why; force has no effect
     * @return what became of it
     * @throws SagaAdminException see {@link #retry}
     */
    public AdminAnswer cancel(UUID sagaId, AdminRequest request) {
        return act(AdminAction.CANCEL, sagaId, request);
    }

    /**
     * Does whatever is asked for, and needs nothing more to be told.
     *
     * @param action what; not RESOLVE
     * @param sagaId the saga
     * @param request who wants it, and why
     * @return what became of it
     * @throws SagaAdminException see {@link #retry}
     * @throws io.backstep.saga.SagaRequestException {@code SAGA-REQ-001} RESOLVE is asked for, see {@link #resolve}
     */
    public AdminAnswer act(AdminAction action, UUID sagaId, AdminRequest request) {
        return actions.act(new Wish(action, sagaId, request, null));
    }

    /**
     * Settles a step by hand. The saga is put down if it is not parked, and goes on, without deadline, when nothing else has parked it: the other steps
     * stay as they are. Which steps take what is told by {@link SagaDetail.StepLine#resolutions()}. With force also when an attempt is
     * under way: it is broken off.
     *
     * @param sagaId the saga
     * @param step the name of the step
     * @param outcome what came of it
     * @param result what its action returns, as JSON: needed when it SUCCEEDED, has a result, and the saga goes forward; null else
     * @param request who wants it, and why
     * @return what became of it; before and after name the step
     * @throws SagaAdminException see {@link #retry}
     * @throws io.backstep.saga.SagaRequestException {@code SAGA-REQ-004} the definition has no such step; the result is missing, cannot be read as
     *     the type of the step's, or must be left out
     */
    public AdminAnswer resolve(
            UUID sagaId, String step, Resolution outcome, @Nullable String result, AdminRequest request) {
        return actions.act(new Wish(AdminAction.RESOLVE, sagaId, request, new Verdict(step, outcome, result)));
    }

    /**
     * Tells whether a saga could be moved to a later version by a {@link io.backstep.saga.definition.SagaMigration} of this node. Writes nothing.
     *
     * @param sagaId its id
     * @return what would become of it
     * @throws SagaAdminException {@code SAGA-ADMIN-001} there is no such saga
     */
    public MigrationAnswer foreseeMigration(UUID sagaId) {
        return new Moves(engine.operators()).foresee(sagaId);
    }

    /**
     * Moves a saga that nobody works on to a later version, also a parked one, with a row in the audit. One that cannot be moved stays as it is.
     *
     * @param sagaId its id
     * @param request who wants it, and why; force has no effect
     * @return what became of it
     * @throws SagaAdminException {@code SAGA-ADMIN-001} there is no such saga, {@code SAGA-ADMIN-007} it changes too fast,
     *     {@code SAGA-ADMIN-008} inside a transaction
     */
    public MigrationAnswer migrate(UUID sagaId, AdminRequest request) {
        return new Moves(engine.operators()).move(sagaId, request);
    }
}
