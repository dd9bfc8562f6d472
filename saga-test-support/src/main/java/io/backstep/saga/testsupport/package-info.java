/** Backstep: saga-test-support. */
@NullMarked
package io.backstep.saga.testsupport;

import org.jspecify.annotations.NullMarked;
