package io.backstep.saga.chaos.failpoints;

/**
 * What one case does.
 *
 * @param point the failpoint
 * @param hit at which passing since the arming, from 1
 * @param fault what happens there
 */
record Plan(String point, int hit, Fault fault) {
    Plan {
        Points.check(point);
    }

    @Override
    public String toString() {
        return point + " " + hit + " " + fault;
    }
}
