package io.backstep.saga.benchmarks;

import io.backstep.saga.benchmarks.Contender.End;

/** What the sagas of a window do, and how each of them must end. */
enum Kind {
    /** Four steps, whose participants do nothing. */
    HAPPY(End.COMPLETED),
    /** The third step is rejected; two compensations, which do nothing. */
    REJECTED(End.COMPENSATED),
    /** Four steps, each of which inserts a row in the transaction that records it. */
    TRANSACTIONAL(End.COMPLETED),
    /** Four steps, whose participants take 200 ms each. */
    SLOW(End.COMPLETED),
    /** Four steps; an order of nothing stays in the second one as long as its node lives. */
    STAYING(End.COMPLETED);

    private final End end;

    Kind(End end) {
        this.end = end;
    }

    End end() {
        return end;
    }
}
