/** Ports for everything that is not deterministic: clocks, timers, ids and randomness, with their production adapters. */
@NullMarked
package io.backstep.saga.time;

import org.jspecify.annotations.NullMarked;
