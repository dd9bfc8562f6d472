package io.backstep.saga.store;

import java.util.UUID;

/** The lock of a saga's row. */
record MemoryRowLock(UUID sagaId) {}
