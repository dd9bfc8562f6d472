/** What operators do with sagas: look, retry, turn, cancel, end by hand; and what is deleted when. */
@NullMarked
package io.backstep.saga.admin;

import org.jspecify.annotations.NullMarked;
