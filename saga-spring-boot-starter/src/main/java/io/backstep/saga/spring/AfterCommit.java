package io.backstep.saga.spring;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Runs a hook after a commit, unless what it belongs to was rolled back to a savepoint. Not in {@code afterCommit()}, which is left out
 * when another synchronization fails there.
 */
final class AfterCommit implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(AfterCommit.class);

    private final Runnable hook;
    private final Set<Object> laterSavepoints = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean undone;

    AfterCommit(Runnable hook) {
        this.hook = hook;
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
        undone |= !laterSavepoints.contains(savepoint);
    }

    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED || undone) {
            return;
        }
        try {
            hook.run();
        } catch (Throwable e) {
            LOG.warn("SAGA-DB-009: what was to follow the commit failed; the commit stands", e);
        }
    }
}
