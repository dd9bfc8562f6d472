/** The engine that runs sagas, the client that starts and reads them, and their listeners. */
@NullMarked
package io.backstep.saga.engine;

import org.jspecify.annotations.NullMarked;
