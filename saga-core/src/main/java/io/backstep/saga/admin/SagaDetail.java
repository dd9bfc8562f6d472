package io.backstep.saga.admin;

import io.backstep.saga.Outcome;
import io.backstep.saga.Resolution;
import io.backstep.saga.StepStatus;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that an operator must know of one saga.
 *
 * @param row its row, with its payload as it is stored
 * @param version what {@link AdminRequest#ifVersion} compares: another after each write
 * @param held whether somebody's lease lasts
 * @param steps its steps, in order; empty when they cannot be read
 * @param compensations its compensation log, in the order of compensation
 * @param mail messages that wait for it
 * @param allowed what it allows now
 * @param why why it is not moving, or what it is doing, for people
 */
public record SagaDetail(
        InstanceRow row,
        String version,
        boolean held,
        List<StepLine> steps,
        List<CompensationRow> compensations,
        List<Mail> mail,
        List<AdminAction> allowed,
        String why) {
    /** Copies the lists. */
    public SagaDetail {
        steps = List.copyOf(steps);
        compensations = List.copyOf(compensations);
        mail = List.copyOf(mail);
        allowed = List.copyOf(allowed);
    }

    /**
     * A step.
     *
     * @param name its name
     * @param status its status
     * @param failures attempts that failed
     * @param interruptions attempts that a shutdown interrupted
     * @param takeovers attempts whose node was lost
     * @param inDoubt whether an attempt may have taken effect without being recorded
     * @param probe which attempt to ask its probe is under way, or comes next; null when nothing is asked
     * @param awaiting whether it waits for an answer, or for time to pass
     * @param nextAttemptAt when the next attempt is due, or the wait is up; or null
     * @param result the encoded result, or null
     * @param lastOutcome how its last recorded attempt ended, or null
     * @param lastError the last error, or null
     * @param resolutions what {@link SagaAdmin#resolve} takes now; with force perhaps more
     */
    public record StepLine(
            String name,
            StepStatus status,
            int failures,
            int interruptions,
            int takeovers,
            boolean inDoubt,
            @Nullable Integer probe,
            boolean awaiting,
            @Nullable Instant nextAttemptAt,
            @Nullable String result,
            @Nullable Outcome lastOutcome,
            @Nullable String lastError,
            List<Resolution> resolutions) {
        /** Copies the list. */
        public StepLine {
            resolutions = List.copyOf(resolutions);
        }
    }
}
