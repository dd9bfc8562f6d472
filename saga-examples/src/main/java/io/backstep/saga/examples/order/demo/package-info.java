/** What the example shows when it starts. */
@NullMarked
package io.backstep.saga.examples.order.demo;

import org.jspecify.annotations.NullMarked;
