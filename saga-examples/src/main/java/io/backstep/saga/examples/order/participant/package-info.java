/** The other services, behind HTTP: payments and mail. They can be told to fail. */
@NullMarked
package io.backstep.saga.examples.order.participant;

import org.jspecify.annotations.NullMarked;
