/** What a store must do for the engine, the records that pass between them, and an in-memory reference store. */
@NullMarked
package io.backstep.saga.store;

import org.jspecify.annotations.NullMarked;
