package io.backstep.saga.participant;

/** Does something, without a result. */
@FunctionalInterface
public interface Effect {
    /**
     * Does it.
     *
     * @throws Exception when it failed
     */
    void run() throws Exception;
}
