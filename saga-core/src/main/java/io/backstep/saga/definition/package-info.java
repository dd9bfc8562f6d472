/** The saga DSL and the immutable model that it builds. */
@NullMarked
package io.backstep.saga.definition;

import org.jspecify.annotations.NullMarked;
