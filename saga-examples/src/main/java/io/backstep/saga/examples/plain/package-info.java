/** The order saga without Spring: plain JDBC, a connection pool, and the engine. */
@NullMarked
package io.backstep.saga.examples.plain;

import org.jspecify.annotations.NullMarked;
