/** Participants by HTTP: what the calls of steps tell them, what they read of that, and requests that are made under a key. */
@NullMarked
package io.backstep.saga.spring.http;

import org.jspecify.annotations.NullMarked;
