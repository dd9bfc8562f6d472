/** For tests: what every implementation of the SPI must do, as suites to extend. */
@NullMarked
package io.backstep.saga.test;

import org.jspecify.annotations.NullMarked;
