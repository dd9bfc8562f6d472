package io.backstep.saga.test.exploration;

/**
 * How far an exploration goes. Besides, one asks the saga to turn, one retry by an operator, and one thing that does not fit.
 *
 * @param faults how many things may go wrong on one way
 * @param crashes how many nodes are lost in one phase of one step
 * @param operator whether an operator turns it, or tries again by force, too; that he ends it is always explored
 */
record Bounds(int faults, int crashes, boolean operator) {
    static Bounds faults(int faults) {
        return new Bounds(faults, 2, false);
    }

    /** Up to the limit of lost nodes, and beyond it after a retry. */
    static Bounds crashes(int faults) {
        return new Bounds(faults, ParkRules.TAKEOVER_LIMIT, false);
    }

    Bounds withOperator() {
        return new Bounds(faults, crashes, true);
    }
}
