/** Backstep: saga-jdbc-store. */
@NullMarked
package io.backstep.saga.jdbc;

import org.jspecify.annotations.NullMarked;
