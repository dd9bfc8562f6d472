package io.backstep.saga.messaging;

import java.time.Duration;

/**
 * What waits in the outbox.
 *
 * @param waiting messages that are still to be sent, those behind a failed one included
 * @param failed messages that wait for a person
 * @param oldest how long ago the oldest of both was published, by the database's clock; zero when there is none
 */
public record OutboxBacklog(long waiting, long failed, Duration oldest) {}
