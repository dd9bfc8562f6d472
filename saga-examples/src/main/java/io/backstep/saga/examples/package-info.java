/** Backstep: saga-examples. */
@NullMarked
package io.backstep.saga.examples;

import org.jspecify.annotations.NullMarked;
