/** Requests by HTTP that are made under a key. */
@NullMarked
package io.backstep.saga.spring.idempotency;

import org.jspecify.annotations.NullMarked;
