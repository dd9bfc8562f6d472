package io.backstep.saga.admin;

import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.store.Mail;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What becomes of an action: written at once, posted as mail, or refused. */
sealed interface Ruling {
    /**
     * Written by whoever asks.
     *
     * @param events what happens to the saga, or null to end it as it is, without a look at its steps
     * @param pending whether it takes effect later
     */
    record Write(@Nullable List<SagaEvent> events, boolean pending) implements Ruling {}

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
