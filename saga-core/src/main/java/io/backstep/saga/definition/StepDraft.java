package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A step while it is being defined; every change asks its saga whether it is still allowed. */
final class StepDraft {
    private static final Retry STANDARD = Retry.exponential(Duration.ofMillis(200));
    private static final int COMPENSATION_ATTEMPTS = 10;

    private final SagaBuilder<?> saga;
    private final String name;
    private final StepKind kind;
    private final @Nullable Type resultType;
    private final List<@Nullable Class<?>> rejectOn = new ArrayList<>();
    private final Placement placement = new Placement();
    private @Nullable Waiting waiting;
    private boolean transactional;
    private boolean namesNoRejection;
    private @Nullable ChildSaga child;
    private @Nullable Action<Object, Object> action;
    private @Nullable Compensation<Object, Object> compensation;
    private @Nullable String noCompensation;
    private boolean tcc;
    private @Nullable Confirmation<Object, Object> confirmation;
    private @Nullable Action<Object, Probe<Object>> probe;
    private boolean rejectionIsDefinite;
    private boolean atMostOnce;
    private @Nullable Boolean compensationTransactional;
    private @Nullable Retry retry;
    private @Nullable Duration timeout;
    private @Nullable Retry compensationRetry;
    private @Nullable Duration compensationTimeout;
    private @Nullable Settlement settlement;
    private @Nullable Retry confirmRetry;
    private @Nullable Duration confirmTimeout;

    StepDraft(SagaBuilder<?> saga, String name, StepKind kind, @Nullable Type resultType) {
        this.saga = saga;
        this.name = name;
        this.kind = kind;
        this.resultType = resultType;
    }

    void after(String[] names) {
        checkPlacing("after(...)");
        for (String each : present(names, "after(names)")) {
            present(each, "after(names)");
        }
        placement.after(List.of(names));
    }

    void after(Step<?>[] steps) {
        checkPlacing("after(...)");
        for (Step<?> each : present(steps, "after(steps)")) {
            present(each, "after(steps)");
        }
        placement.after(steps);
    }

    void afterStart() {
        checkPlacing("afterStart()");
        placement.atStart();
    }

    void onlyIf(Predicate<SagaData<Object>> condition) {
        checkPlacing("onlyIf(condition)");
        checkFirst(placement.condition(), "a second condition");
        placement.onlyIf(condition);
    }

    void transactional() {
        saga.checkUsable();
        checkFirst(action, "transactional() after its action");
        transactional = true;
    }

    void action(Action<Object, Object> given) {
        saga.checkUsable();
        checkFirst(action, "a second action");
        action = given;
    }

    /** It waits, and calls nobody; it leaves nothing to undo. */
    void waits(Waiting given) {
        waiting = given;
        noCompensation = kind == StepKind.COMPENSATABLE ? "a wait has nothing to undo" : null;
        action = context -> {
            throw new IllegalStateException(where() + " only waits");
        };
    }

    void child(ChildSaga given, Action<Object, Object> input) {
        action(input);
        child = given;
    }

    void tcc() {
        tcc = true;
    }

    void confirmation(Confirmation<Object, Object> given) {
        saga.checkUsable();
        checkFirst(confirmation, "a second confirm");
        confirmation = given;
    }

    void probe(Action<Object, Probe<Object>> given) {
        saga.checkUsable();
        checkFirst(probe, "a second probe");
        probe = given;
    }

    void compensation(Compensation<Object, Object> given) {
        saga.checkUsable();
        checkNoneYet();
        compensation = given;
    }

    void noCompensation(String why) {
        saga.checkUsable();
        checkNoneYet();
        noCompensation = present(why, "noCompensation(why)");
    }

    void retry(Retry policy) {
        saga.checkUsable();
        retry = present(policy, "retry(policy)");
    }

    void timeout(Duration longest) {
        saga.checkUsable();
        timeout = present(longest, "timeout(longest)");
    }

    void rejectOn(Class<?>[] types) {
        saga.checkUsable();
        present(types, "rejectOn(types)");
        namesNoRejection |= types.length == 0;
        rejectOn.addAll(Arrays.asList(types));
    }

    void rejectionIsDefinite() {
        saga.checkUsable();
        rejectionIsDefinite = true;
    }

    void atMostOnce() {
        saga.checkUsable();
        atMostOnce = true;
    }

    void compensationTransactional(boolean given) {
        saga.checkUsable();
        compensationTransactional = given;
    }

    void compensationRetry(Retry policy) {
        saga.checkUsable();
        compensationRetry = present(policy, "compensationRetry(policy)");
    }

    void compensationTimeout(Duration longest) {
        saga.checkUsable();
        compensationTimeout = present(longest, "compensationTimeout(longest)");
    }

    void compensationAwaits(Step<?> signal, Duration time) {
        saga.checkUsable();
        String verb = "compensationAwaits(signal, timeout)";
        checkFirst(settlement, "a second " + verb);
        Step<?> given = present(signal, verb);
        settlement = new Settlement(given.name(), given.resultType(), present(time, verb));
    }

    void confirmRetry(Retry policy) {
        saga.checkUsable();
        confirmRetry = present(policy, "confirmRetry(policy)");
    }

    void confirmTimeout(Duration longest) {
        saga.checkUsable();
        confirmTimeout = present(longest, "confirmTimeout(longest)");
    }

    /** Refuses null at the verb, where the stack trace shows it. */
    <T> T present(@Nullable T argument, String verb) {
        return Faults.present(argument, where(), verb);
    }

    /** Says which step a message is about. */
    String where() {
        return "step " + name + " of " + saga.where();
    }

    SagaBuilder<?> saga() {
        return saga;
    }

    String name() {
        return name;
    }

    StepKind kind() {
        return kind;
    }

    @Nullable
    Type resultType() {
        return resultType;
    }

    Placement placement() {
        return placement;
    }

    @Nullable
    Waiting waiting() {
        return waiting;
    }

    @Nullable
    ChildSaga child() {
        return child;
    }

    boolean isTcc() {
        return tcc;
    }

    boolean hasConfirmation() {
        return confirmation != null;
    }

    boolean hasAction() {
        return action != null;
    }

    boolean saysHowToCompensate() {
        return compensation != null || noCompensation != null;
    }

    @Nullable
    String noCompensation() {
        return noCompensation;
    }

    /** What it says of doubts, which a transactional step never has. */
    List<String> onDoubts() {
        return Stream.of(
                        probe == null ? null : "a probe",
                        rejectionIsDefinite ? "rejectionIsDefinite()" : null,
                        atMostOnce ? "atMostOnce()" : null)
                .filter(Objects::nonNull)
                .toList();
    }

    boolean isTransactional() {
        return transactional;
    }

    @Nullable
    Duration timeout() {
        return timeout;
    }

    @Nullable
    Duration compensationTimeout() {
        return compensationTimeout;
    }

    @Nullable
    Settlement settlement() {
        return settlement;
    }

    boolean hasCompensation() {
        return compensation != null;
    }

    @Nullable
    Duration confirmTimeout() {
        return confirmTimeout;
    }

    List<@Nullable Class<?>> rejectOn() {
        return rejectOn;
    }

    boolean namesNoRejection() {
        return namesNoRejection;
    }

    StepDefinition toDefinition(List<String> declaredBefore) {
        return new StepDefinition(
                name,
                kind,
                resultType,
                transactional,
                placement.waitsFor(declaredBefore),
                placement.condition(),
                waiting,
                child,
                Objects.requireNonNull(action),
                compensation,
                settlement,
                noCompensation,
                confirming(),
                probe,
                rejectionIsDefinite,
                atMostOnce,
                actionRetry().alsoRejectOn(rejectOn),
                orDefault(timeout),
                compensation != null && Objects.requireNonNullElse(compensationTransactional, transactional),
                orStandard(compensationRetry).unlessSaid(COMPENSATION_ATTEMPTS),
                orDefault(compensationTimeout));
    }

    private @Nullable Confirming confirming() {
        return confirmation == null
                ? null
                : new Confirming(
                        confirmation, orStandard(confirmRetry).unlessSaid(Retry.FOREVER), orDefault(confirmTimeout));
    }

    private Retry actionRetry() {
        return kind == StepKind.RETRIABLE ? orStandard(retry).unlessSaid(Retry.FOREVER) : orStandard(retry);
    }

    private static Retry orStandard(@Nullable Retry given) {
        return given == null ? STANDARD : given;
    }

    private static Duration orDefault(@Nullable Duration given) {
        return given == null ? StepDefinition.DEFAULT_TIMEOUT : given;
    }

    private void checkPlacing(String verb) {
        saga.checkUsable();
        if (waiting == null) {
            checkFirst(action, verb + " after its action");
        } else if (!saga.isLast(this)) {
            checkFirst(waiting, verb + " after the next step");
        }
    }

    private void checkNoneYet() {
        checkFirst(compensation, "a second compensation");
        checkFirst(noCompensation, "a second compensation");
    }

    private void checkFirst(@Nullable Object before, String what) {
        if (before != null) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-030", where() + " is given " + what + "; go on from what the last verb returned");
        }
    }
}
