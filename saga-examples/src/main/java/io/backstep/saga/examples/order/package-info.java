/** The order service: its saga, its orders, its HTTP interface. */
@NullMarked
package io.backstep.saga.examples.order;

import org.jspecify.annotations.NullMarked;
