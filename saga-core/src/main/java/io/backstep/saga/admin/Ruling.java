package io.backstep.saga.admin;

import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.store.Mail;
import org.jspecify.annotations.Nullable;

/** What becomes of an action: written at once, posted as mail, or refused. */
sealed interface Ruling {
    /**
     * Written by whoever asks.
     *
     * @param change what is written, or null to end the saga as it is, without a look at its steps
     * @param pending whether it takes effect later
     */
    record Write(StoredSaga.@Nullable Change change, boolean pending) implements Ruling {}

    /**
     * Posted to the owner.
     *
     * @param kind what it asks for
     */
    record Post(Mail.Kind kind) implements Ruling {}

    /**
     * Refused.
     *
     * @param code the stable code
     * @param why what is in the way
     */
    record Refuse(String code, String why) implements Ruling {}
}
