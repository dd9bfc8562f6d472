package io.backstep.saga.engine;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Thrown;
import io.backstep.saga.store.SagaStoreException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The user code has returned, but its result cannot be stored: not the same as when it throws an exception of that type. */
final class ResultFailed extends Exception {
    private static final long serialVersionUID = 1L;
    private static final String TOO_LARGE = "SAGA-SER-003";

    /** Cannot be written; would not read back the same. */
    private static final Set<String> NOT_KEPT = Set.of("SAGA-SER-001", "SAGA-SER-006");

    private static final String ESCAPED = "SAGA-DB-007";

    private final transient SagaSerializationException failure;

    ResultFailed(SagaSerializationException failure) {
        super(failure);
        this.failure = failure;
    }

    /** What is recorded of an attempt that failed so. */
    static ErrorText error(Throwable e) {
        if (e instanceof ResultFailed result) {
            return coded(result.failure.code(), result.failure);
        }
        if (e instanceof SagaSerializationException unreadable && reason(unreadable.code()) == null) {
            return coded(unreadable.code(), unreadable);
        }
        return escaped(e) ? coded(ESCAPED, e) : ErrorText.of(e);
    }

    /** Why a remote step, whose effect is done, parks its saga; null when a code says nothing of the kind. */
    static @Nullable SagaReason reason(String code) {
        if (code.equals(TOO_LARGE)) {
            return SagaReason.RESULT_TOO_LARGE;
        }
        return NOT_KEPT.contains(code) ? SagaReason.RESULT_UNREADABLE : null;
    }

    private static ErrorText coded(String code, Throwable e) {
        return ErrorText.of(code, String.valueOf(Thrown.message(e)));
    }

    /** Whether user code has ended the transaction of its step: it may be committed, so it is never simply run again. */
    static boolean escaped(@Nullable Throwable failure) {
        return failure instanceof SagaStoreException store && store.code().equals(ESCAPED);
    }
}
