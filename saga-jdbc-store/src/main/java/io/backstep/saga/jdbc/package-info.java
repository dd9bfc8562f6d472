/** The store on JDBC, transactions without a framework, and the schema. */
@NullMarked
package io.backstep.saga.jdbc;

import org.jspecify.annotations.NullMarked;
