/** Backstep: saga-core. */
@NullMarked
package io.backstep.saga;

import org.jspecify.annotations.NullMarked;
