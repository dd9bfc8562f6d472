package io.backstep.saga.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;

/** Runs a hook after a commit. Not in {@code afterCommit()}, which is left out when another synchronization fails there. */
record AfterCommit(Runnable hook) implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(AfterCommit.class);

    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED) {
            return;
        }
        try {
            hook.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("SAGA-DB-009: what was to follow the commit failed; the commit stands", e);
        }
    }
}
