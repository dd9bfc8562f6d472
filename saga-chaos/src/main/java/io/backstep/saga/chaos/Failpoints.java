package io.backstep.saga.chaos;

/** Told where the code of a node is, so that something can be done to the process exactly there. */
@FunctionalInterface
public interface Failpoints {
    /** Nothing happens anywhere. */
    Failpoints NONE = point -> {};

    /**
     * The code is at a point.
     *
     * @param point its name, like {@code action.before}
     */
    void hit(String point);
}
