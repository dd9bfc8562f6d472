/** Sagas as users write them, and how users test them. */
@NullMarked
package io.backstep.saga.test.sample;

import org.jspecify.annotations.NullMarked;
