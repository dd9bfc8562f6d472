/** Backstep: saga-spring-boot-starter. */
@NullMarked
package io.backstep.saga.spring;

import org.jspecify.annotations.NullMarked;
