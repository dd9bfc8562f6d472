/** Every named failpoint, every fault, every shape: one node meets the fault, and another finishes. */
@NullMarked
package io.backstep.saga.chaos.failpoints;

import org.jspecify.annotations.NullMarked;
