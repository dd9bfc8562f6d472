/** Data to JSON and back; the only package that sees Jackson. */
@NullMarked
package io.backstep.saga.serialization;

import org.jspecify.annotations.NullMarked;
