/**
 * The other end of a step: what a participant needs so that an action and its compensation may arrive twice, late, in the wrong
 * order or at once. Usable alone, on the participant's own database, without an engine.
 */
@NullMarked
package io.backstep.saga.participant;

import org.jspecify.annotations.NullMarked;
