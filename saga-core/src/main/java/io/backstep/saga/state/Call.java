package io.backstep.saga.state;

import io.backstep.saga.Phase;

/**
 * User code to call, once the state that intends it is recorded.
 *
 * @param step the index of the step
 * @param phase condition, action, probe, compensation or confirm
 * @param attempt 1 for the first
 */
public record Call(int step, Phase phase, int attempt) {}
