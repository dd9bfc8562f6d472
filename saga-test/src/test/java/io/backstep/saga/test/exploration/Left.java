package io.backstep.saga.test.exploration;

/**
 * What may still go wrong on a path.
 *
 * @param faults how many faults of any kind
 * @param turn whether somebody may still ask it to turn
 * @param retry whether an operator may still retry it
 * @param stuck whether stored data may still turn out unreadable
 */
record Left(int faults, boolean turn, boolean retry, boolean stuck) {
    boolean any() {
        return faults > 0;
    }

    Left oneLess() {
        return new Left(faults - 1, turn, retry, stuck);
    }

    Left turned() {
        return new Left(faults, false, retry, stuck).oneLess();
    }

    Left retried() {
        return new Left(faults, turn, false, stuck);
    }

    Left gotStuck() {
        return new Left(faults, turn, retry, false).oneLess();
    }
}
