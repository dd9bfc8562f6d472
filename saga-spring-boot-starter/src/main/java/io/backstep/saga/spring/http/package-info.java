/** Calls of steps by HTTP: what they tell the participant, and what it reads. */
@NullMarked
package io.backstep.saga.spring.http;

import org.jspecify.annotations.NullMarked;
