/** What can be kept in Redis. */
@NullMarked
package io.backstep.saga.spring.redis;

import org.jspecify.annotations.NullMarked;
