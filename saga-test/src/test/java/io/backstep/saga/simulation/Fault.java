package io.backstep.saga.simulation;

/** The classes of faults. Each is on in half of all seeds, with an intensity of its own. */
enum Fault {
    /** The store applies a call, and the answer is lost. */
    ANSWER_LOST(0.01, 0.15),
    /** A call never reaches the store, and nobody knows. */
    REQUEST_LOST(0.01, 0.15),
    /** The store refuses a call: certainly not applied. */
    REFUSED(0.01, 0.15),
    /** A call is applied long after its caller was told that nobody knows. */
    DELAYED(0.01, 0.15),
    /** Serialization failures and deadlocks. */
    TRANSIENT(0.01, 0.2),
    /** Somebody else has the row locked. */
    LOCKED(0.01, 0.15),
    /** The store takes its time, up to leases. */
    SLOW_STORE(0.01, 0.15),
    /** The store throws instead of answering. */
    THROWN(0.005, 0.05),
    /** The database is away for a while; what was under way is rolled back. */
    OUTAGE(1, 3),
    /** As kill -9. */
    CRASH(1, 6),
    /** As kill -9 in the middle of user code. */
    CRASH_IN_CALL(0.01, 0.15),
    /** As SIGSTOP, for up to four leases. */
    PAUSE(1, 6),
    /** Monotonic clocks that run up to a third too fast or too slow. */
    DRIFT(0.02, 0.3),
    /** As SIGTERM, and a restart. */
    STOP(1, 4),
    /** New versions come node by node. */
    DEPLOY(1, 3),
    /** A participant fails before it does anything. */
    STEP_FAILS(0.05, 0.4),
    /** A participant does it, and then fails. */
    STEP_FAILS_AFTER(0.03, 0.3),
    /** A participant does not come back for a long time. */
    STEP_HANGS(0.01, 0.08),
    /** A participant takes its time. */
    STEP_SLOW(0.05, 0.4),
    /** A request to a participant is lost. */
    CALL_LOST(0.02, 0.2),
    /** A participant's reply is lost. */
    REPLY_LOST(0.02, 0.2),
    /** A participant gets a request twice, the second time late. */
    CALL_REPEATED(0.02, 0.2),
    /** A participant gets a request long after the caller has given up. */
    CALL_LATE(0.02, 0.2),
    /** A participant says no. */
    REJECTS(0.1, 0.6),
    /** Compensations fail, some for ever. */
    UNDO_FAILS(0.05, 0.5),
    /** Operators act, twice for good measure. */
    OPERATORS(1, 6),
    /** Operators use force. */
    FORCE(0.2, 1),
    /** Clients cancel. */
    CANCELS(0.1, 0.6),
    /** Transactions of callers that start sagas are rolled back. */
    CALLER_ROLLS_BACK(0.1, 0.5),
    /** What has ended is deleted soon. */
    PURGE(1, 1),
    /** More clients than usual come, many at the same moment, to the same node: writes queue, and go in batches. */
    CROWD(0.3, 1),
    /** The database refuses the data of one row. */
    ROW_REFUSED(0.003, 0.05),
    /** Nodes have room for so many sagas only. */
    LITTLE_ROOM(1, 4),
    /** Confirms fail, some for ever. */
    CONFIRM_FAILS(0.05, 0.5),
    /** A participant gives back what was reserved, as nobody came in time. */
    RESERVATION_EXPIRES(0.02, 0.3),
    /** Deploys bring nodes that move instances to the next version, and take them away again. */
    MIGRATION(1, 4);

    final double least;
    final double most;

    Fault(double least, double most) {
        this.least = least;
        this.most = most;
    }
}
