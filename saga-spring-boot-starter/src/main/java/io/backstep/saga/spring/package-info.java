/**
 * The Spring Boot starter: sagas in the transactions of the application, started and stopped with its context. Everything is set up
 * by auto-configuration and by the properties under {@code saga.}; there is nothing here to call.
 */
@NullMarked
package io.backstep.saga.spring;

import org.jspecify.annotations.NullMarked;
