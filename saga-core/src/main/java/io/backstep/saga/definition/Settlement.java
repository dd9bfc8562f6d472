package io.backstep.saga.definition;

import java.lang.reflect.Type;
import java.time.Duration;

/**
 * What a compensation waits for once it was called: the word that it has taken effect. Nothing is held meanwhile.
 *
 * @param signal the name that the signal is sent to, unique in its saga
 * @param type the full type of what the signal brings
 * @param time how long it is waited for
 */
public record Settlement(String signal, Type type, Duration time) {}
