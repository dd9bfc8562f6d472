/** Measures what the engine promises about speed; see docs/benchmarks.md. */
@NullMarked
package io.backstep.saga.benchmarks;

import org.jspecify.annotations.NullMarked;
