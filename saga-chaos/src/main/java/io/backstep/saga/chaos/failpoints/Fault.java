package io.backstep.saga.chaos.failpoints;

/** What happens at a failpoint. */
enum Fault {
    /** The JVM ends at once, without any clean-up. */
    HALT,
    /** The call fails; after a COMMIT, although it is done. */
    THROW,
    /** The whole process stops for three leases (SIGSTOP), then goes on as if nothing had been. */
    PAUSE,
    /** All connections of the node are cut; after a COMMIT, its answer is what is lost. */
    CUT
}
