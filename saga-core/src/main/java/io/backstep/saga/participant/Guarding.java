package io.backstep.saga.participant;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Shown;
import io.backstep.saga.time.Ids;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What all guards do. */
final class Guarding {
    private static final int LONGEST_ID = 200;

    private final GuardStore store;
    private final OwnTransactions transactions;
    private final Ids ids;
    private final String operation;
    private final @Nullable Duration limit;
    private final boolean always;

    /** A limit makes it remote. */
    Guarding(
            GuardStore store,
            OwnTransactions transactions,
            Ids ids,
            String operation,
            @Nullable Duration limit,
            boolean always) {
        this.store = store;
        this.transactions = transactions;
        this.ids = ids;
        this.operation = operation;
        this.limit = limit;
        this.always = always;
    }

    Guarding remote(Duration longest) {
        if (longest.isNegative() || longest.isZero()) {
            throw new IllegalArgumentException("a remote effect may take " + longest + "; more than zero is needed");
        }
        return new Guarding(store, transactions, ids, operation, longest, always);
    }

    Guarding alwaysCompensating() {
        return new Guarding(store, transactions, ids, operation, limit, true);
    }

    /** Where a call stands while its effect is under way, when that has succeeded, and when it has not. */
    private record Course(GuardState under, GuardState end, GuardState doubt) {
        static final Course ACTION = new Course(GuardState.DONE, GuardState.DONE, GuardState.STARTED);
        static final Course REMOTE_ACTION = new Course(GuardState.STARTED, GuardState.DONE, GuardState.STARTED);
        static final Course UNDO = new Course(GuardState.COMPENSATED, GuardState.COMPENSATED, GuardState.COMPENSATING);
        static final Course REMOTE_UNDO =
                new Course(GuardState.COMPENSATING, GuardState.COMPENSATED, GuardState.COMPENSATING);
        static final Course CONFIRM = new Course(GuardState.CONFIRMED, GuardState.CONFIRMED, GuardState.CONFIRMING);
        static final Course REMOTE_CONFIRM =
                new Course(GuardState.CONFIRMING, GuardState.CONFIRMED, GuardState.CONFIRMING);
    }

    <R> R action(String operationId, Callable<R> effect, Results<R> results) throws Exception {
        Course course = limit == null ? Course.ACTION : Course.REMOTE_ACTION;
        GuardCall call = call(operationId, course.under(), course);
        if (limit != null) {
            GuardRow row = transactions.brief(() -> store.action(call));
            return isOurs(call, row) ? perform(call, course, false, effect, results) : earlier(call, row, results);
        }
        return transactions.local(
                joined -> store.action(in(call, joined)),
                (row, joined) -> isOurs(call, row)
                        ? perform(call, course, joined, effect, results)
                        : earlier(call, row, results));
    }

    /** The undo is handed the result as it is stored. */
    CompensationAnswer compensation(String operationId, Recorded undo) throws Exception {
        Course course = limit == null ? Course.UNDO : Course.REMOTE_UNDO;
        GuardCall call = call(operationId, always ? course.under() : GuardState.CANCELLED, course);
        if (limit != null) {
            GuardRow row = transactions.brief(() -> store.compensation(call));
            return compensated(call, course, row, false, undo);
        }
        return transactions.local(
                joined -> store.compensation(in(call, joined)),
                (row, joined) -> compensated(call, course, row, joined, undo));
    }

    /** The effect is handed the result as it is stored. */
    ConfirmationAnswer confirmation(String operationId, Recorded effect) throws Exception {
        Course course = limit == null ? Course.CONFIRM : Course.REMOTE_CONFIRM;
        GuardCall call = call(operationId, GuardState.CANCELLED, course);
        Optional<ConfirmationAnswer> answer;
        if (limit != null) {
            GuardRow row = transactions.brief(() -> store.confirmation(call));
            answer = confirmed(call, course, row, false, effect);
        } else {
            answer = transactions.local(
                    joined -> store.confirmation(in(call, joined)),
                    (row, joined) -> confirmed(call, course, row, joined, effect));
        }
        // committed by now: a late action is refused
        return answer.orElseThrow(() -> OperationRefusedException.nothingToConfirm(operation, operationId));
    }

    private Optional<ConfirmationAnswer> confirmed(
            GuardCall call, Course course, GuardRow row, boolean joined, Recorded effect) throws Exception {
        if (!isOurs(call, row)) {
            return Optional.of(confirmedEarlier(call, row));
        }
        if (row.state() == GuardState.CANCELLED) {
            return Optional.empty();
        }
        Callable<Boolean> work = () -> {
            effect.run(row.result());
            return true;
        };
        perform(call, course, joined, work, Results.NONE);
        return Optional.of(ConfirmationAnswer.DONE);
    }

    private ConfirmationAnswer confirmedEarlier(GuardCall call, GuardRow row) {
        requireSame(call, row);
        return switch (row.state()) {
            case CONFIRMED -> ConfirmationAnswer.DUPLICATE;
            case CANCELLED, COMPENSATING, COMPENSATED ->
                throw OperationRefusedException.confirmation(operation, call.operationId());
            case STARTED -> throw busy("the action of ", call);
            case DONE, CONFIRMING -> throw busy("another confirmation of ", call);
        };
    }

    interface Recorded {
        void run(@Nullable String result) throws Exception;
    }

    private CompensationAnswer compensated(GuardCall call, Course course, GuardRow row, boolean joined, Recorded undo)
            throws Exception {
        if (!isOurs(call, row)) {
            return compensatedEarlier(call, row);
        }
        if (row.state() == GuardState.CANCELLED) {
            return CompensationAnswer.EMPTY;
        }
        Callable<Boolean> effect = () -> {
            undo.run(row.result());
            return true;
        };
        perform(call, course, joined, effect, Results.NONE);
        return CompensationAnswer.DONE;
    }

    private <R> R perform(GuardCall call, Course course, boolean joined, Callable<R> effect, Results<R> results)
            throws Exception {
        R result;
        String stored;
        try {
            result = effect.call();
            stored = results.write(result);
        } catch (Throwable failure) {
            if (joined || limit != null) {
                leaveInDoubt(call, course, failure);
            }
            throw failure;
        }
        if (!isSettled(call, course, joined, stored)) {
            throw lost(call);
        }
        return result;
    }

    private boolean isSettled(GuardCall call, Course course, boolean joined, @Nullable String stored) throws Exception {
        if (course.under() != course.end() || (joined && stored != null)) {
            return settle(call, course.under(), course.end(), stored);
        }
        return stored == null
                ? store.isKept(call.operationId(), call.token(), course.end())
                : store.keep(call.operationId(), call.token(), course.end(), stored);
    }

    /** Nobody else gets at a row that is not committed: when it is gone, the database has taken its transaction back meanwhile. */
    private RuntimeException lost(GuardCall call) {
        return limit == null
                ? new OperationBusyException(named(call), true, null)
                : new OperationLostException(named(call));
    }

    /** Its own transaction is rolled back; the caller's may be committed all the same, and with it part of the effect. */
    private void leaveInDoubt(GuardCall call, Course course, Throwable failure) {
        try {
            settle(call, course.under(), course.doubt(), null);
        } catch (Exception e) {
            failure.addSuppressed(e); // no transaction that could be committed, or its time will be up
        }
    }

    private boolean settle(GuardCall call, GuardState from, GuardState to, @Nullable String result) throws Exception {
        Callable<Boolean> write = () -> store.settle(call.operationId(), call.token(), from, to, result);
        return limit == null ? write.call() : transactions.brief(write);
    }

    private <R> R earlier(GuardCall call, GuardRow row, Results<R> results) {
        requireSame(call, row);
        if (row.state().refusesActions()) {
            throw OperationRefusedException.action(operation, call.operationId());
        }
        if (row.state() == GuardState.STARTED) {
            throw busy("the action of ", call);
        }
        return results.read(row.result());
    }

    private CompensationAnswer compensatedEarlier(GuardCall call, GuardRow row) {
        requireSame(call, row);
        return switch (row.state()) {
            case CANCELLED, COMPENSATED -> CompensationAnswer.DUPLICATE;
            case COMPENSATING -> throw busy("another compensation of ", call);
            case STARTED, DONE -> throw busy("the action of ", call);
            case CONFIRMING, CONFIRMED -> throw OperationRefusedException.compensation(operation, call.operationId());
        };
    }

    private static OperationBusyException busy(String what, GuardCall call) {
        return new OperationBusyException(what + named(call) + " is under way", false, null);
    }

    private void requireSame(GuardCall call, GuardRow row) {
        if (!row.operation().equals(operation)) {
            throw new SagaRequestException(
                    "SAGA-GRD-003",
                    "operationId",
                    "operation id " + Shown.quoted(call.operationId()) + " is of " + row.operation() + ", not of "
                            + operation + "; each operation needs an id of its own");
        }
    }

    private GuardCall call(String operationId, GuardState whenNew, Course course) {
        SagaRequestException.requireText("operationId", operationId, LONGEST_ID);
        return new GuardCall(operationId, operation, ids.next(), whenNew, course.under(), limit, false);
    }

    private static GuardCall in(GuardCall call, boolean joined) {
        return new GuardCall(
                call.operationId(),
                call.operation(),
                call.token(),
                call.whenNew(),
                call.whenTaken(),
                call.limit(),
                joined);
    }

    private static boolean isOurs(GuardCall call, GuardRow row) {
        return row.token().equals(call.token());
    }

    private static String named(GuardCall call) {
        return call.operation() + " " + Shown.quoted(call.operationId());
    }
}
