package io.backstep.saga.spring;

import java.io.IOException;
import java.util.Map;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Every kind of {@code @Transactional}; each method does the work that it is given. */
class Kinds {
    /** Work of a test. */
    interface Work {
        void run() throws Exception;
    }

    /** Propagations by their names. */
    static final Map<String, Propagated> PROPAGATIONS = Map.ofEntries(
            Map.entry("REQUIRED", Kinds::required),
            Map.entry("REQUIRES_NEW", Kinds::requiresNew),
            Map.entry("NESTED", Kinds::nested),
            Map.entry("SUPPORTS", Kinds::supports),
            Map.entry("NOT_SUPPORTED", Kinds::notSupported),
            Map.entry("MANDATORY", Kinds::mandatory),
            Map.entry("NEVER", Kinds::never));

    /** One of them; asked of the bean, because its proxy makes the transaction. */
    interface Propagated {
        void run(Kinds bean, Work work) throws Exception;
    }

    /** One of them. */
    interface Kind {
        void run(Work work) throws Exception;
    }

    @Transactional
    public void required(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void requiresNew(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.NESTED)
    public void nested(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.SUPPORTS)
    public void supports(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public void notSupported(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.MANDATORY)
    public void mandatory(Work work) throws Exception {
        work.run();
    }

    @Transactional(propagation = Propagation.NEVER)
    public void never(Work work) throws Exception {
        work.run();
    }

    @Transactional(readOnly = true)
    public void readOnly(Work work) throws Exception {
        work.run();
    }

    @Transactional(isolation = Isolation.READ_UNCOMMITTED)
    public void readUncommitted(Work work) throws Exception {
        work.run();
    }

    @Transactional(isolation = Isolation.READ_COMMITTED)
    public void readCommitted(Work work) throws Exception {
        work.run();
    }

    @Transactional(isolation = Isolation.REPEATABLE_READ)
    public void repeatableRead(Work work) throws Exception {
        work.run();
    }

    @Transactional(isolation = Isolation.SERIALIZABLE)
    public void serializable(Work work) throws Exception {
        work.run();
    }

    @Transactional(timeout = 60)
    public void timeout(Work work) throws Exception {
        work.run();
    }

    @Transactional(rollbackFor = IOException.class)
    public void rollbackFor(Work work) throws Exception {
        work.run();
    }

    @Transactional(noRollbackFor = IllegalStateException.class)
    public void noRollbackFor(Work work) throws Exception {
        work.run();
    }

    /** Calls past the proxy. */
    public void itself(Work work) throws Exception {
        required(work);
    }

    /** Annotated on the class. */
    @Transactional
    static class OnClass {
        public void run(Work work) throws Exception {
            work.run();
        }
    }

    /** Annotated on the interface. */
    interface OnInterface {
        @Transactional
        void run(Work work) throws Exception;
    }

    /** Implements it without an annotation of its own. */
    static class Implementation implements OnInterface {
        @Override
        public void run(Work work) throws Exception {
            work.run();
        }
    }

    /**
     * An event with work for one phase.
     *
     * @param phase when
     * @param work what
     */
    record Event(TransactionPhase phase, Work work) {
        void in(TransactionPhase now) throws Exception {
            if (now == phase) {
                work.run();
            }
        }
    }

    /** Listens in every phase. */
    static class Phases {
        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(Event event) throws Exception {
            event.in(TransactionPhase.BEFORE_COMMIT);
        }

        @TransactionalEventListener
        public void afterCommit(Event event) throws Exception {
            event.in(TransactionPhase.AFTER_COMMIT);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void afterRollback(Event event) throws Exception {
            event.in(TransactionPhase.AFTER_ROLLBACK);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void afterCompletion(Event event) throws Exception {
            event.in(TransactionPhase.AFTER_COMPLETION);
        }
    }
}
