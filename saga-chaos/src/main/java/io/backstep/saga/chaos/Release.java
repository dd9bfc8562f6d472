package io.backstep.saga.chaos;

import java.util.List;
import java.util.stream.IntStream;

/** What a node knows of the sagas of which there are two versions: it is what a deploy changes. */
enum Release {
    /** None of them. */
    NONE(1, 0),
    /** The first. */
    V1(1, 1),
    /** Both; it starts the second. */
    V1_V2(1, 2),
    /** The second only. */
    V2(2, 2);

    /** The deploys, after {@link #V1}, and again and again: each way from one to another. */
    static final List<Release> CYCLE = List.of(V1_V2, V2, V1, V2, V1_V2, V1);

    private final int first;
    private final int last;

    Release(int first, int last) {
        this.first = first;
        this.last = last;
    }

    List<Integer> versions() {
        return IntStream.rangeClosed(first, last).boxed().toList();
    }

    /** What the ids of its nodes end with; the checks read it. */
    String suffix() {
        return this == NONE ? "" : "_" + name();
    }
}
