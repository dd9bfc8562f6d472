/** A transfer between two PostgreSQL databases by two-phase commit: the saga is the coordinator. Without Spring. */
@NullMarked
package io.backstep.saga.examples.transfer;

import org.jspecify.annotations.NullMarked;
