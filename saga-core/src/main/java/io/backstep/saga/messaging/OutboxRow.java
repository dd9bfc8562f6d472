package io.backstep.saga.messaging;

import java.util.UUID;

/**
 * A message in the outbox.
 *
 * @param position orders the messages of an aggregate; given when it was inserted, so that it is not the order of commits
 * @param id the message's id: the same each time that it is sent
 * @param message the message
 * @param failures how often it was sent in vain, since it was published or requeued
 */
public record OutboxRow(long position, UUID id, OutboxMessage message, int failures) {}
