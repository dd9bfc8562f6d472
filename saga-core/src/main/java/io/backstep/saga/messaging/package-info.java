/**
 * Messages that leave if and only if their transaction is committed: the outbox, the relay that hands them to a broker, and what both
 * need of store and broker. Usable without an engine.
 */
@NullMarked
package io.backstep.saga.messaging;

import org.jspecify.annotations.NullMarked;
