package io.backstep.saga.store;

import java.time.Instant;

/**
 * A stored row of {@code saga_audit}.
 *
 * @param id rises with each row
 * @param entry what it says
 * @param at when it was written, by the database's clock
 */
public record AuditRow(long id, AuditEntry entry, Instant at) {}
