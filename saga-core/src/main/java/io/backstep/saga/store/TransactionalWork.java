package io.backstep.saga.store;

/** User code and the record of it, in one transaction. */
@FunctionalInterface
public interface TransactionalWork {
    /**
     * Runs the user code inside the transaction.
     *
     * @return the write that records it, applied in the same transaction
     * @throws Exception to roll back; handed to the callback as it is
     */
    Mutation run() throws Exception;
}
