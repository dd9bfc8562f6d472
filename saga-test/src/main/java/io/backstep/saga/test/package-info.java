/** For tests: of users' sagas (scenarios, the crash explorer, golden files), and of stores: what each must do, as suites to extend. */
@NullMarked
package io.backstep.saga.test;

import org.jspecify.annotations.NullMarked;
