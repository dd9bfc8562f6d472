package io.backstep.saga.messaging;

import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** Where the relay sends messages. Safe for use by many threads. */
@FunctionalInterface
public interface MessageBroker {
    /**
     * Sends a message; must not block for long, since the send timeout counts from when it returns. Called without any transaction, on a thread of the relay or on one that has completed the stage of the message before. Messages of one
     * aggregate are sent one after another: the next is handed in when the stage of the one before is completed.
     *
     * @param id the message's id, which goes with it; it may be sent more than once with the same, and then may overtake nothing that was confirmed
     * @param message the message
     * @return completed, with anything, when the broker has confirmed that it keeps the message, and not before; completed exceptionally when it has
     *     not, by a {@link MessageRefusedException} when it never will. What it throws counts the same.
     */
    CompletionStage<?> send(UUID id, OutboxMessage message);
}
