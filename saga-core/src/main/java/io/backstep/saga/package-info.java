/** The words of the library: types, statuses, reasons, exceptions and alerts. Imports nothing else of ours. */
@NullMarked
package io.backstep.saga;

import org.jspecify.annotations.NullMarked;
