package io.backstep.saga.participant;

import java.util.Optional;

/**
 * Takes back what an action has done.
 *
 * @param <R> the result of the action
 */
@FunctionalInterface
public interface Undo<R> {
    /**
     * Takes it back.
     *
     * @param recorded the result of the action; empty when its outcome is unknown, or when it has never come and the guard
     *     {@linkplain ParticipantGuard#alwaysCompensating() compensates always}
     * @throws Exception when it failed: nothing is recorded as undone then
     */
    void run(Optional<R> recorded) throws Exception;
}
