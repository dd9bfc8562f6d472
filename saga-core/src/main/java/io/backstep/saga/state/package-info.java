/** The pure state machine: a state and an event in, the next state and what to do out. Not API. */
@NullMarked
package io.backstep.saga.state;

import org.jspecify.annotations.NullMarked;
