package io.backstep.saga.engine;

import io.backstep.saga.StepStatus;

/**
 * A step of a saga as it was when it was read.
 *
 * @param name its name
 * @param status its status
 * @param attempts how many attempts of the present phase have begun
 */
public record StepView(String name, StepStatus status, int attempts) {}
