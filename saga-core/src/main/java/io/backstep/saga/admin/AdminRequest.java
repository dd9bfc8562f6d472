package io.backstep.saga.admin;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.store.Mail;
import org.jspecify.annotations.Nullable;

/**
 * Who wants an action, and why.
 *
 * @param actor who, 1 to 200 characters; it goes into the audit
 * @param reason why, 1 to 500 characters, not blank; it goes into the audit
 * @param force whether a running attempt is broken off: the epoch is taken, and the attempt counts as one that may have taken effect
 * @param version the {@link SagaDetail#version()} that the actor has seen; another one is refused; null for any
 * @param requestKey tells a repeated request, which has no second effect, 1 to 200 characters, or null
 */
public record AdminRequest(
        String actor,
        String reason,
        boolean force,
        @Nullable String version,
        @Nullable String requestKey) {
    private static final int LONGEST_NAME = 200;

    /**
     * Checks the texts.
     *
     * @throws SagaRequestException {@code SAGA-REQ-001} when one is missing, blank or too long
     */
    public AdminRequest {
        SagaRequestException.requireText("actor", actor, LONGEST_NAME);
        SagaRequestException.requireText("reason", reason, Mail.LONGEST_REASON);
        if (requestKey != null) {
            SagaRequestException.requireText("requestKey", requestKey, LONGEST_NAME);
        }
    }

    /**
     * A plain request.
     *
     * @param actor who
     * @param reason why
     * @return the request
     */
    public static AdminRequest by(String actor, String reason) {
        return new AdminRequest(actor, reason, false, null, null);
    }

    /**
     * The same, also when an attempt is under way.
     *
     * @return the request
     */
    public AdminRequest forced() {
        return new AdminRequest(actor, reason, true, version, requestKey);
    }

    /**
     * The same, but only if the saga still is what the actor has seen.
     *
     * @param seen its {@link SagaDetail#version()}
     * @return the request
     */
    public AdminRequest ifVersion(String seen) {
        return new AdminRequest(actor, reason, force, seen, requestKey);
    }

    /**
     * The same, with a key that tells a repeated request.
     *
     * @param key unique per saga
     * @return the request
     */
    public AdminRequest withKey(String key) {
        return new AdminRequest(actor, reason, force, version, key);
    }
}
