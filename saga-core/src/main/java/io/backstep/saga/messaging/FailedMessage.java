package io.backstep.saga.messaging;

import java.time.Instant;
import java.util.UUID;

/**
 * A message that could not be sent and waits for a person.
 *
 * @param id the message's id
 * @param message the message
 * @param failures how often it was sent in vain
 * @param error why, the last time: one line
 * @param publishedAt when it was published, by the database's clock
 */
public record FailedMessage(UUID id, OutboxMessage message, int failures, String error, Instant publishedAt) {}
