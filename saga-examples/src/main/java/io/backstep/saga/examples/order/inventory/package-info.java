/** The inventory: stock that can be reserved, released and taken. */
@NullMarked
package io.backstep.saga.examples.order.inventory;

import org.jspecify.annotations.NullMarked;
