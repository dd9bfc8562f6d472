/** An order by try, confirm and cancel: stock by the ready-made participant, money by one of its own. Without Spring. */
@NullMarked
package io.backstep.saga.examples.tcc;

import org.jspecify.annotations.NullMarked;
