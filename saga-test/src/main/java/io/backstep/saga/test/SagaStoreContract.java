package io.backstep.saga.test;

import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link SagaStore} must do. Extend it, and hand in the store.
 *
 * <p>All cases may share one store and one database, also with others: each makes types of its own and looks only at its own rows.
 * No case sets a clock; {@link #age} and very short leases stand in for waiting.
 */
public abstract class SagaStoreContract {
    /** Made by the test framework. */
    protected SagaStoreContract() {}

    /**
     * The store under test. May be used by up to 20 threads at once.
     *
     * @return the same store for the whole of a case
     */
    protected abstract SagaStore store();

    /**
     * The transactions that {@link SagaStore#insertJoined} and {@link SagaStore#inTransaction} take part in.
     *
     * @return the same object for the whole of a case
     */
    protected abstract Transactions transactions();

    /**
     * Makes a committed saga older: moves back its {@code created_at} and {@code updated_at}, and its {@code due_at} and {@code
     * deadline} where it has them. In a database, one UPDATE.
     *
     * @param sagaId the saga
     * @param by how much
     */
    protected abstract void age(UUID sagaId, Duration by);

    /**
     * Overwrites the encoded step states of a committed saga, and nothing else.
     *
     * @param sagaId the saga
     * @param steps what is to stand there
     */
    protected abstract void corrupt(UUID sagaId, String steps);

    /**
     * Runs something on the calling thread while another transaction holds the lock of the saga's row, as {@code SELECT ... FOR
     * UPDATE} on another connection does.
     *
     * @param sagaId the saga
     * @param meanwhile what to run
     */
    protected abstract void withRowLocked(UUID sagaId, Runnable meanwhile);

    @Nested
    class Starts extends StartCases {
        Starts() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Writes extends WriteCases {
        Writes() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Flushes extends FlushCases {
        Flushes() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Records extends RecordCases {
        Records() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Claims extends ClaimCases {
        Claims() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class ClaimsOfOne extends ClaimOneCases {
        ClaimsOfOne() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Leases extends LeaseCases {
        Leases() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class JoinedStarts extends JoinedStartCases {
        JoinedStarts() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Work extends WorkCases {
        Work() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class TransactionsThemselves extends TransactionCases {
        TransactionsThemselves() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Texts extends TextCases {
        Texts() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Definitions extends DefinitionCases {
        Definitions() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Times extends TimeCases {
        Times() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Messages extends MailCases {
        Messages() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Sweeps extends SweepCases {
        Sweeps() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Signals extends SignalCases {
        Signals() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Looks extends LookCases {
        Looks() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Operators extends OperatorCases {
        Operators() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Inspecting extends InspectCases {
        Inspecting() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class OperatorRaces extends OperatorRaceCases {
        OperatorRaces() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Audits extends AuditCases {
        Audits() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Lists extends ListCases {
        Lists() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class ListFilters extends ListFilterCases {
        ListFilters() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Retention extends RetentionCases {
        Retention() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Children extends ChildCases {
        Children() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Undoing extends UndoCases {
        Undoing() {
            super(SagaStoreContract.this);
        }
    }

    @Nested
    class Differential extends DifferentialCases {
        Differential() {
            super(SagaStoreContract.this);
        }
    }
}
