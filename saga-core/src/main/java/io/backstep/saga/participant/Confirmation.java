package io.backstep.saga.participant;

/**
 * Makes final what an action has done.
 *
 * @param <R> the result of the action
 */
@FunctionalInterface
public interface Confirmation<R> {
    /**
     * Makes it final.
     *
     * @param recorded the result of the action
     * @throws Exception when it failed: nothing is recorded as confirmed then
     */
    void run(R recorded) throws Exception;
}
