/** Backstep: saga-test. */
@NullMarked
package io.backstep.saga.test;

import org.jspecify.annotations.NullMarked;
