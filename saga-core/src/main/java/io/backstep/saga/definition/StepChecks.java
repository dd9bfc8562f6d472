package io.backstep.saga.definition;

import io.backstep.saga.Shown;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What must hold for one step. */
final class StepChecks {
    private static final int LONGEST_REASON = 500;

    private final StepDraft step;
    private final Faults faults;

    StepChecks(StepDraft step, Faults faults) {
        this.step = step;
        this.faults = faults;
    }

    void check(@Nullable Duration deadline) {
        checkType();
        checkActionAndCompensation();
        checkChild();
        checkReason(step.noCompensation());
        checkTimeout("timeout", step.timeout());
        checkTimeout("compensationTimeout", step.compensationTimeout());
        checkTimeout("confirmTimeout", step.confirmTimeout());
        checkDeadline("timeout", step.timeout(), deadline);
        checkWait(step.waiting(), deadline);
        checkSettlement(step.settlement());
        checkRejections();
        checkDoubts();
    }

    private void checkType() {
        if (step.resultType() != null) {
            TypeChecks.fault(step.resultType()).ifPresent(fault -> add("SAGA-DSL-017", "has as its result " + fault));
        }
    }

    private void checkActionAndCompensation() {
        if (step.isTcc() && (!step.hasAction() || !step.hasConfirmation() || !step.saysHowToCompensate())) {
            add(
                    "SAGA-DSL-043",
                    "is a TCC step that is not complete; it needs tryAction(...), then confirm(...), then cancel(...)");
        } else if (!step.hasAction()) {
            add("SAGA-DSL-006", "has no action; give it one with action(...)");
        } else if (step.kind() == StepKind.COMPENSATABLE && step.child() == null && !step.saysHowToCompensate()) {
            add(
                    "SAGA-DSL-007",
                    "has no compensation; give it compensate(...), or say noCompensation(\"why\"), or declare it as pivot,"
                            + " retriable or bestEffort");
        }
    }

    private void checkChild() {
        ChildSaga child = step.child();
        if (child == null) {
            return;
        }
        if (step.kind() == StepKind.BEST_EFFORT) {
            add(
                    "SAGA-DSL-040",
                    "is best-effort and starts " + child.type()
                            + ", for which it could have to wait without end; start it in a" + " step of another kind");
        } else if (step.kind() != StepKind.COMPENSATABLE && step.saysHowToCompensate()) {
            add(
                    "SAGA-DSL-041",
                    "is " + (step.kind() == StepKind.PIVOT ? "the pivot" : "retriable")
                            + " and says how it is undone, which it never is; leave that away");
        }
        if (child.definition() != null) {
            ChildSaga.fault(step.toDefinition(List.of()), child.definition())
                    .ifPresent(fault -> add("SAGA-DSL-042", fault));
        }
    }

    private void checkDoubts() {
        List<String> said = step.onDoubts();
        if (said.isEmpty()) {
            return;
        }
        if (step.isTransactional()) {
            add(
                    "SAGA-DSL-034",
                    "is transactional and says " + String.join(", ", said)
                            + "; a transactional step is never in doubt, so leave that out");
        } else if (step.child() != null) {
            add(
                    "SAGA-DSL-034",
                    "starts " + step.child().type() + " and says " + String.join(", ", said)
                            + "; a child is started by the write that records it, so leave that out");
        }
    }

    private void checkReason(@Nullable String why) {
        if (why != null && (why.isBlank() || why.length() > LONGEST_REASON)) {
            add(
                    "SAGA-DSL-022",
                    "says noCompensation(" + Shown.quoted(why) + "), a reason of " + why.length()
                            + " characters; allowed are 1 to " + LONGEST_REASON + ", not blank");
        }
    }

    private void checkTimeout(String what, @Nullable Duration timeout) {
        if (timeout != null && !DefinitionChecks.inRange(timeout)) {
            add("SAGA-DSL-011", "has " + what + ' ' + timeout + "; allowed is more than zero, at most 366 days");
        }
    }

    /** Steps after the decision are not bound by the deadline. */
    private void checkDeadline(String what, @Nullable Duration timeout, @Nullable Duration deadline) {
        boolean bound = step.kind() == StepKind.COMPENSATABLE || step.kind() == StepKind.PIVOT;
        if (bound && timeout != null && deadline != null && timeout.compareTo(deadline) > 0) {
            add("SAGA-DSL-011", "has " + what + ' ' + timeout + ", longer than the saga's deadline of " + deadline);
        }
    }

    private void checkSettlement(@Nullable Settlement settlement) {
        if (settlement == null) {
            return;
        }
        checkTimeout("a settlement's timeout", settlement.time());
        TypeChecks.fault(settlement.type()).ifPresent(fault -> add("SAGA-DSL-017", "awaits as a settlement " + fault));
        if (!step.hasCompensation()) {
            add("SAGA-DSL-044", "awaits the settlement of a compensation, and has none; say how it is compensated");
        }
    }

    private void checkWait(@Nullable Waiting waiting, @Nullable Duration deadline) {
        if (waiting != null) {
            String what = waiting.what() == Waiting.What.DELAY ? "delay" : "timeout";
            checkTimeout(what, waiting.time());
            checkDeadline(what, waiting.time(), deadline);
        }
    }

    private void checkRejections() {
        if (step.namesNoRejection()) {
            add("SAGA-DSL-021", "says rejectOn() without a type; name at least one exception type");
        }
        for (Class<?> type : step.rejectOn()) {
            if (type == null || !Throwable.class.isAssignableFrom(type)) {
                String shown = type == null ? "null" : type.getName();
                add("SAGA-DSL-021", "says rejectOn(" + shown + "); allowed are subtypes of Throwable");
            }
        }
    }

    private void add(String code, String what) {
        faults.add(code, step.where(), what);
    }
}
