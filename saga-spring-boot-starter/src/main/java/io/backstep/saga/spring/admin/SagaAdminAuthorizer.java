package io.backstep.saga.spring.admin;

import io.backstep.saga.store.InstanceSummary;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Says who uses the REST API for operators, and what they may do. A bean of this type replaces the rules by roles of Spring Security,
 * which are used when that is there and there is no such bean. Asked for every request, whatever filters have decided before. Used by
 * many threads.
 */
@FunctionalInterface
public interface SagaAdminAuthorizer {
    /**
     * Tells who asks.
     *
     * @param request the request; its body must not be read
     * @return who, or null when nobody has logged in, which is answered by 401
     */
    @Nullable
    Caller caller(HttpServletRequest request);

    /** Who asks. Used for one request, by one thread. */
    interface Caller {
        /**
         * Who it is: what the audit says.
         *
         * @return 1 to 200 characters
         */
        String name();

        /**
         * Whether they may do so with any saga at all. Asked before anything is read; no is answered by 403.
         *
         * @param right what they want
         * @return true when they may
         */
        boolean may(Right right);

        /**
         * Whether they may do so with this saga. Asked once for each saga. One that may not be looked at is answered like one that does
         * not exist, and is left out of lists.
         *
         * @param right what they want
         * @param subject the saga
         * @return true when they may
         */
        boolean may(Right right, Subject subject);
    }

    /** What somebody may do. */
    enum Right {
        /** Look: lists, details, history, audit. */
        VIEW,
        /** Act. */
        OPERATE,
        /** See inputs and results, which are {@code ***} for others. */
        SEE_PAYLOADS
    }

    /**
     * A saga, as it is stored at this moment.
     *
     * @param sagaId its id
     * @param saga what it is, or null when it has been deleted and only its audit is left
     */
    record Subject(UUID sagaId, @Nullable InstanceSummary saga) {}
}
