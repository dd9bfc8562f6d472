/** Real JVMs on a real PostgreSQL, what is done to them, and what must hold afterwards. */
@NullMarked
package io.backstep.saga.chaos;

import org.jspecify.annotations.NullMarked;
